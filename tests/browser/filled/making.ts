import type { Client } from '../../../src/testing/index.ts'

/** Text that would run or break the layout where it is not escaped. */
export const hostile = `<img src=x onerror=alert(1)>"'&${'long'.repeat(30)}`

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers are read by tests
type Body = any

/** Creates something by the API as one person. @throws Error when the server refuses */
export type Make = ((path: string, body: object) => Promise<Body>) & {
  /** Stores something at a path. */
  put(path: string, body: object): Promise<Body>
}

/** A project or group: its path in the API, its id, a word for names, and the address to which its hooks send. */
export type Place = { at: string; id: number; name: string; receiver: string }

export function makeAs(client: Client): Make {
  const by = (method: 'post' | 'put') => async (path: string, body: object) => {
    const answer = await client[method](path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  return Object.assign(by('post'), { put: by('put') })
}

/** A day within the life that tokens may have. */
export const soon = () => new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)

/** A picture of one pixel. */
export const pngOf = () =>
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
