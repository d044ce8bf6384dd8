import { createHash, randomBytes } from 'node:crypto'
import type { TestServer } from '../../../testing/index.ts'
import { issueRegistryToken } from '../tokens/issue.ts'
import type { TokenCredential } from '../tokens/verify.ts'

export type RegistryAnswer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every form
  body: any
  bytes: Buffer
}

/** `g/p/web:pull,push`, as in the scope of a token; `catalog:*` for the catalog. */
type Scope = `${string}:${string}`

type Options = {
  /** What the token grants; undefined sends no token. */
  scope?: Scope | readonly Scope[]
  /** Names that the token says were asked for in vain. */
  asked?: readonly string[]
  body?: Buffer | string
  headers?: Record<string, string>
}

/** Content with its digest. */
export function blobOf(content: Buffer | string = randomBytes(1000), algorithm: 'sha256' | 'sha512' = 'sha256') {
  const bytes = Buffer.from(content as string)
  const hex = createHash(algorithm).update(bytes).digest('hex')
  return { digest: `${algorithm}:${hex}`, hex, size: bytes.length, content: bytes }
}

/** The token of the administrator as the credential of a registry token, which all rights come from. */
async function rootCredential({ app }: TestServer): Promise<TokenCredential> {
  const query = app.platform.database.read
    .selectFrom('access_tokens as t')
    .innerJoin('users as u', 'u.id', 't.user_id')
    .select(['t.id', 't.user_id', 't.kind'])
    .where('u.username', '=', 'root')
  const { id, user_id: user, kind } = await query.orderBy('t.id').executeTakeFirstOrThrow()
  return { kind, id, user }
}

/** A client of the `/v2/` of a server, whose tokens are those of the administrator, and grant what the caller says. */
export function registryOf(server: TestServer) {
  async function tokenFor(scopes: readonly Scope[], asked: readonly string[] = []): Promise<string> {
    const access = scopes.map((scope) => {
      const colon = scope.lastIndexOf(':')
      const name = scope.slice(0, colon)
      const type = name === 'catalog' ? 'registry' : 'repository'
      return { type, name, actions: scope.slice(colon + 1).split(',') }
    })
    const credential = await rootCredential(server)
    const contents = { subject: 'tester', authType: 'personal_access_token', credential, access, asked } as const
    return (await issueRegistryToken(server.app.platform, contents)).token
  }

  /** Sends a request. @param path behind `/v2/`, or a `Location` */
  async function send(method: string, path: string, options: Options = {}): Promise<RegistryAnswer> {
    const { scope, asked, body, headers = {} } = options
    const token = scope === undefined ? undefined : await tokenFor(typeof scope === 'string' ? [scope] : scope, asked)
    const response = await fetch(path.startsWith('/') ? `${server.url}${path}` : `${server.url}/v2/${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...headers },
      body: body as never,
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type') === 'application/json' && bytes.length > 0
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(bytes.toString()) : bytes.toString(),
      bytes,
    }
  }

  return { send, tokenFor }
}

export type Registry = ReturnType<typeof registryOf>

/** The status and the code of an answer. */
export const codeOf = ({ status, body }: RegistryAnswer) => [status, body?.errors?.[0]?.code]
