import { decodeJwt } from 'jose'
import type { Answer, TestServer } from '../../../testing/index.ts'
import type { RegistryGrant } from './issue.ts'

/** User name and password for HTTP Basic; none for an anonymous request. */
export type Login = { user: string; password: string } | null

export const basic = ({ user, password }: { user: string; password: string }) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The login of a person with their token. */
export const loginOf = ({ username, token }: { username: string; token: string }): Login => ({
  user: username,
  password: token,
})

/** Asks for a token. @param scopes each is a parameter of its own */
export function askForToken(server: TestServer, login: Login, ...scopes: string[]): Promise<Answer> {
  const query = new URLSearchParams({ service: 'container_registry' })
  for (const scope of scopes) query.append('scope', scope)
  const headers: Record<string, string> = login ? { Authorization: basic(login) } : {}
  return server.anonymous.get(`root:/jwt/auth?${query}`, { headers })
}

/** The claims of an issued token. */
export const claimsOf = ({ body }: Answer) =>
  decodeJwt<{ access: RegistryGrant[]; asked?: string[]; auth_type: string }>(body.token)

/** What a token grants: `name:actions` of each entry. */
export const grantedBy = (answer: Answer): string[] =>
  claimsOf(answer).access.map(({ name, actions }) => `${name}:${actions.join(',')}`)
