import type { Authenticator, PresentedToken, RequestInfo, UserActor } from '../api/index.ts'
import type { Platform } from './platform.ts'

declare module './platform.ts' {
  interface Questions {
    'request.authenticate'(token: PresentedToken): Promise<UserActor>
    'request.impersonate'(caller: UserActor, target: string): Promise<UserActor | null>
    /** The user who is signed in with the browser of the request. */
    'request.browser'(request: Pick<RequestInfo, 'headers' | 'ip'>): Promise<UserActor | null>
  }
}

/** How the API identifies the callers of its requests. */
export function authenticatorOf(platform: Platform): Authenticator {
  const { ports } = platform
  return {
    authenticate: (token) => ports['request.authenticate'](platform, token),
    impersonate: (caller, target) => ports['request.impersonate'](platform, caller, target),
    ofBrowser: (request) => ports['request.browser'](platform, request),
  }
}
