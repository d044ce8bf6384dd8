import { allScopes } from '../../api/index.ts'
import { scopeWords } from '../tokens/index.ts'

/** The scopes of OAuth tokens: those of access tokens, and those of OpenID Connect (contract 00, "Scopes"). */
export const knownScopes: readonly string[] = [...allScopes, 'openid', 'profile', 'email']

/** What a token with a scope may do. */
const words: Readonly<Record<string, string>> = {
  ...scopeWords,
  openid: 'Know who you are',
  profile: 'Read your name, user name and picture',
  email: 'Read your e-mail address',
}

/** Scopes with what a token with them may do. */
export const describeScopes = (scopes: readonly string[]) =>
  scopes.map((name) => ({ name, description: words[name] ?? name }))
