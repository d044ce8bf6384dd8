import { createHmac } from 'node:crypto'
import type { Clock } from '../../infra/clock/index.ts'
import { deriveKey, safeEqual } from '../../infra/secrets/index.ts'

/** What is to be done with objects. */
export type LfsOperation = 'download' | 'upload'

/** What somebody who came by SSH may do over HTTP: nothing that the key could not do itself. */
export type LfsGrant = { keyId: number; projectId: number; operation: LfsOperation }

export type LfsTokenNeeds = {
  clock: Clock
  /** The key of the installation. */
  instanceKey(): Promise<Buffer>
}

/** How long a token is good for (contract 22 R1). */
export const tokenSeconds = 7200

const prefix = 'glfs-'
const form = /^glfs-([A-Za-z0-9_-]{1,400})\.([A-Za-z0-9_-]{43})$/

/** Tokens that `git-lfs-authenticate` gives out; nothing of them is stored. */
export type LfsTokens = ReturnType<typeof createLfsTokens>

export function createLfsTokens({ clock, instanceKey }: LfsTokenNeeds) {
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1000)

  async function signatureOf(body: string): Promise<string> {
    const key = deriveKey(await instanceKey(), 'lfs tokens')
    return createHmac('sha256', key).update(body).digest('base64url')
  }

  return {
    /** Whether a password is meant to be such a token. */
    isToken: (text: string) => text.startsWith(prefix),

    async issue({ keyId, projectId, operation }: LfsGrant): Promise<string> {
      const values = [keyId, projectId, operation, nowSeconds() + tokenSeconds]
      const body = Buffer.from(JSON.stringify(values)).toString('base64url')
      return `${prefix}${body}.${await signatureOf(body)}`
    },

    /** What a token grants; null when it is none, or its time is over. */
    async open(text: string): Promise<LfsGrant | null> {
      const [, body, signature] = form.exec(text) ?? []
      if (body === undefined || signature === undefined) return null
      if (!safeEqual(signature, await signatureOf(body))) return null
      const [keyId, projectId, operation, expires] = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
      return nowSeconds() < expires ? { keyId, projectId, operation } : null
    },
  }
}
