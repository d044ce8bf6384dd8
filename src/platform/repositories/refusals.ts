import { ApiError } from '../../api/index.ts'

/** The refusal while a repository is moved to another storage (contract 01, "Pushing by git"). */
export const readOnly = 'The repository is temporarily read-only. Please try again later.'

/** A rule refused a change of refs. `sentences` are shown to the caller. */
export class RefRefused extends Error {
  readonly sentences: readonly string[]

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'))
    this.name = 'RefRefused'
    this.sentences = sentences
  }

  /** Whether the repository is being moved to another storage: the change is possible later. */
  get isMoving(): boolean {
    return this.sentences[0] === readOnly
  }
}

/** The repository is being moved to another storage. A job that fails with it runs again after the move (contract 10). */
export class RepositoryMoving extends ApiError {
  constructor() {
    super('repository_moving', 400, { message: readOnly })
    this.name = 'RepositoryMoving'
  }
}
