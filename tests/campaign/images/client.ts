import { createHash } from 'node:crypto'
import { Failed } from '../failed.ts'

const sha256 = (content: Buffer | string) => `sha256:${createHash('sha256').update(content).digest('hex')}`

/** Content of a number, the same every time; between 1 and 100 KiB. */
export function layerOf(number: number): Buffer {
  const block = createHash('sha512').update(`layer ${number}`).digest()
  return Buffer.alloc(1024 + ((number * 7919) % 100_000), block)
}

type Asked = { status: number; headers: Headers; bytes: Buffer }

/** A client that pushes and pulls as docker does. @param authorization the value of the header for `/jwt/auth` */
export function imageClient(url: string, authorization: string) {
  const tokens = new Map<string, Promise<string>>()

  async function ask(path: string, options: RequestInit = {}): Promise<Asked> {
    try {
      const response = await fetch(url + path, options)
      return {
        status: response.status,
        headers: response.headers,
        bytes: Buffer.from(await response.arrayBuffer()),
      }
    } catch (cause) {
      throw new Failed({ status: 0, text: String(cause) })
    }
  }

  async function issue(scope: string): Promise<string> {
    const path = `/jwt/auth?service=container_registry&scope=${encodeURIComponent(scope)}`
    const { status, bytes } = await ask(path, { headers: { Authorization: authorization } })
    if (status !== 200) throw new Failed({ status: status, text: `a token was refused: ${bytes}` })
    return JSON.parse(bytes.toString()).token
  }

  function tokenFor(repository: string): Promise<string> {
    const known = tokens.get(repository) ?? issue(`repository:${repository}:pull,push,delete`)
    tokens.set(repository, known)
    return known
  }

  async function send(method: string, repository: string, path: string, body?: Buffer, type?: string): Promise<Asked> {
    const headers = { Authorization: `Bearer ${await tokenFor(repository)}`, ...(type && { 'Content-Type': type }) }
    return ask(`/v2/${repository}/${path}`, { method, headers, body: body as never })
  }

  /** Uploads a blob unless the repository has it, in two requests every other time. */
  async function putBlob(repository: string, content: Buffer, inChunks: boolean): Promise<string> {
    const digest = sha256(content)
    if ((await send('HEAD', repository, `blobs/${digest}`)).status === 200) return digest
    if (!inChunks) {
      const { status, bytes } = await send('POST', repository, `blobs/uploads/?digest=${digest}`, content)
      if (status !== 201) throw new Failed({ status: status, text: `an upload was refused: ${bytes}` })
      return digest
    }
    const begun = await send('POST', repository, 'blobs/uploads/')
    if (begun.status !== 202) throw new Failed({ status: begun.status, text: `an upload was refused: ${begun.bytes}` })
    const location = begun.headers.get('location')?.replace(`/v2/${repository}/`, '') ?? ''
    const { status, bytes } = await send('PATCH', repository, location, content)
    if (status !== 202) throw new Failed({ status: status, text: `a chunk was refused: ${bytes}` })
    const ended = await send('PUT', repository, `${location}?digest=${digest}`)
    if (ended.status !== 201) throw new Failed({ status: ended.status, text: `an upload was refused: ${ended.bytes}` })
    return digest
  }

  return { send, putBlob, digestOf: sha256 }
}

export type ImageClient = ReturnType<typeof imageClient>
