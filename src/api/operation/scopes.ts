import type { Actor, Scope } from './actor.ts'
import { insufficientScope } from './errors.ts'

/** What an operation asks of a token: these scopes, of which any one will do, or nothing. */
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
 * Step 6 of a request: the token carries a scope that will do. Also checked where anonymous callers are let in.
 * @throws ApiError 403 insufficient_scope
 */
export function requireScope(actor: Actor, scopes: Scopes): void {
  if (actor.kind === 'anonymous' || scopes === 'any') return
  if (!scopes.some((scope) => actor.credential.scopes.has(scope))) throw insufficientScope(scopes)
}
