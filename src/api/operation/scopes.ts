import type { Actor, Scope } from './actor.ts'
import { insufficientScope } from './errors.ts'

/** The scopes of which a token needs one, or `any` for every token. */
export type Scopes = readonly Scope[] | 'any'

/** Reads. */
export const reading: Scopes = ['api', 'read_api']
/** Reads under `/user` and `/users`. */
export const readingUsers: Scopes = ['api', 'read_user', 'read_api']
/** Reads of the files of a repository. */
export const readingFiles: Scopes = ['api', 'read_api', 'read_repository']
/** Every write. */
export const writing: Scopes = ['api']

/**
 * Step 6: checks that the token has one of the scopes, also on operations that are open to anonymous callers.
 * @throws ApiError 403 insufficient_scope
 */
export function requireScope(actor: Actor, scopes: Scopes): void {
  if (actor.kind === 'anonymous' || scopes === 'any') return
  if (!scopes.some((scope) => actor.credential.scopes.has(scope))) throw insufficientScope(scopes)
}
