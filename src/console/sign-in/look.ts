import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, allScopes, anonymous, forbidden, type UserActor } from '../../api/index.ts'
import { beginLook, endLook, visitorOfBrowser } from '../../modules/sessions/index.ts'
import { redirect } from '../http/send.ts'
import type { Console, Destination } from '../visits.ts'
import { requireSecondFactor } from './second-factor.ts'
import { fieldsOfOwnForm } from './sign-in.ts'

/** Who asks for a page. */
export type Visitor = {
  /** As whom operations are performed. */
  actor: Actor
  /** Whose rights the buttons of the page follow: those of `actor`, which a look does not exercise. */
  shown: Actor
  /** Who is signed in. */
  signedIn: UserActor | null
  /** Whether the administrator who is signed in looks at the page as another user sees it. */
  isLook: boolean
  /** When who is signed in has to have a second factor; null when none is demanded. */
  due: Date | null
}

/** The visitor of a page, by the cookie of a session. The API does not look at cookies (contract 00: CORS `*`). */
export async function visitorOf({ platform }: Console, request: FastifyRequest): Promise<Visitor> {
  const found = await visitorOfBrowser(platform, request)
  if (!found) return { actor: anonymous, shown: anonymous, signedIn: null, isLook: false, due: null }
  const { actor: signedIn, look, due } = found
  if (!look) return { actor: signedIn, shown: signedIn, signedIn, isLook: false, due }
  const scopes = new Set<string>(allScopes.filter((scope) => scope !== 'sudo' && scope !== 'admin_mode'))
  const shown = { ...look, credential: { ...look.credential, scopes } }
  return { actor: look, shown, signedIn, isLook: true, due }
}

/** The addresses of the forms that begin and end a look. */
export const lookPath = '/-/look'
export const endLookPath = '/-/look/end'

/** Pages of the account of a user: what they show is for that user only. */
const ofAccount = /^(profile|user_settings|oauth)(\/|$)/

/** Requires that a look only looks. @throws ApiError 403 */
export function requireOnlyReading({ isLook }: Visitor, method: string): void {
  if (!isLook || method === 'GET' || method === 'HEAD') return
  throw forbidden('You look at the pages as another user. Nothing can be changed meanwhile')
}

/** Requires that a look is not at the account of the user. @throws ApiError 403 */
export function requireOtherThanAccount({ isLook }: Visitor, { at, rest }: Destination): void {
  if (isLook && at === 'instance' && ofAccount.test(rest)) throw forbidden('The account of another user is not shown')
}

/**
 * Receives the forms that begin and end a look.
 * @returns whether it was one of them
 * @throws ApiError 403, 404
 */
export async function receiveLook(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<boolean> {
  if (path !== lookPath && path !== endLookPath) return false
  const { user_id: id = '' } = await fieldsOfOwnForm(console, request)
  const found = await visitorOfBrowser(console.platform, request)
  if (found) requireSecondFactor(console, found, path)
  // The browser has stored pages as the other one sees them.
  reply.header('Clear-Site-Data', '"cache"')
  if (path === endLookPath) {
    const userId = found?.look?.userId
    await endLook(console.platform, found)
    redirect(reply, userId === undefined ? '/' : `/admin/users/${userId}`)
  } else {
    await beginLook(console.platform, found, /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0)
    redirect(reply, '/')
  }
  return true
}
