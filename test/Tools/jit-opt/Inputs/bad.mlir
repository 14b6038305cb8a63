func.func @f() {
  // There is no such unit.
  jit.invoke @nowhere()
  return
}
