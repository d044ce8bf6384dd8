/** Why an import fails as a whole. The message is shown to users. */
export class ImportProblem extends Error {
  override name = 'ImportProblem'
}
