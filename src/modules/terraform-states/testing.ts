import { createHash, randomUUID } from 'node:crypto'

/** What the `http` backend sends and reads, as Terraform and OpenTofu are configured by `TF_HTTP_*`. */
export type Backend = {
  /** Without the refusal, or with the lock that another holds. */
  lock(operation?: string): Promise<{ status: number; held: Record<string, unknown> | null }>
  unlock(): Promise<number>
  write(document: string): Promise<number>
  /** @returns null where the server has no state */
  read(): Promise<string | null>
  delete(): Promise<number>
}

type Config = { address: string; username: string; password: string }

/** A client of the backend: the requests that the programs make, in their form (contract 26.15). */
export function backendOf({ address, username, password }: Config): Backend {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  let lockId = ''
  const md5 = (text: string) => createHash('md5').update(text).digest('base64')
  async function send(method: string, url: string, body?: string): Promise<{ status: number; text: string }> {
    const headers = {
      authorization,
      ...(body !== undefined && { 'Content-Type': 'application/json', 'Content-MD5': md5(body) }),
    }
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, text: await response.text() }
  }
  let details = ''
  return {
    async lock(operation = 'OperationTypeApply') {
      const ID = randomUUID()
      const info = { ID, Operation: operation, Info: '', Who: 'someone@laptop', Version: '1.9.5', Path: '' }
      const sent = JSON.stringify({ ...info, Created: '2026-01-02T03:04:05.123456789Z' })
      const { status, text } = await send('POST', `${address}/lock`, sent)
      if (status === 200) [lockId, details] = [ID, sent]
      return { status, held: status === 409 ? JSON.parse(text) : null }
    },
    async unlock() {
      const { status } = await send('DELETE', `${address}/lock`, details)
      if (status === 200) lockId = ''
      return status
    },
    write: async (document) => (await send('POST', lockId ? `${address}?ID=${lockId}` : address, document)).status,
    async read() {
      const { status, text } = await send('GET', address)
      if (status === 204 || status === 404) return null
      if (status !== 200) throw new Error(`the server answered ${status}`)
      return text
    },
    delete: async () => (await send('DELETE', address)).status,
  }
}
