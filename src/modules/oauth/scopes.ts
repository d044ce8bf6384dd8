import { allScopes } from '../../api/index.ts'

/** The scopes of OAuth tokens: those of access tokens, and those of OpenID Connect (contract 00, "Scopes"). */
export const knownScopes: readonly string[] = [...allScopes, 'openid', 'profile', 'email']
