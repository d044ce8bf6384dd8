import { bound } from '../bound.ts'
import type { Platform } from '../platform.ts'
import { makeFirstCommit } from './first-commit.ts'
import { openRepository, openRepositoryForWriting } from './opening.ts'
import { changeRefs, openRow, pushGate, recoverRefs, refsOf } from './repositories.ts'

/** For callers of the old shape; goes with the last of them. */
export function createRepositories(platform: Platform) {
  return bound(platform, {
    ...{ open: openRow, refs: refsOf, changeRefs, pushGate, makeFirstCommit },
    ...{ openOf: openRepository, openForWriting: openRepositoryForWriting, recover: recoverRefs },
  })
}
export type Repositories = ReturnType<typeof createRepositories>
