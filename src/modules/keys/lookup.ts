import { type Actor, failure, notFound, recordNotFound, type Static } from '../../api/index.ts'
import type { Database, Reader } from '../../infra/database/index.ts'
import { type UserRow, userById } from '../users/index.ts'
import { type KeyWithOwner, presentKey } from './present.ts'
import { keyByFingerprint, keyById, keyByMd5Fingerprint } from './store.ts'
import type { KeyRow } from './tables.ts'

/** What joins a deploy key to a project. */
type Join = {
  id: number
  key_id: number
  project_id: number
  can_push: boolean
  created_at: string
  updated_at: string
}

export type KeyLookupNeeds = {
  database: Database
  /** All joins of a deploy key, by id. */
  joinsOf(db: Reader, keyId: number): Promise<Join[]>
  /** A user at level P, as the reader may see them. */
  presentUser(user: UserRow, reader: Actor): Promise<Record<string, unknown>>
}

/** Finds keys of whatever kind for administrators (contract 01, x.key_get, x.key_by_fingerprint). */
export type KeyLookup = ReturnType<typeof createKeyLookup>

const md5Form = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i
const sha256Form = /^SHA256:([A-Za-z0-9+/]{43})=?$/

/** @returns undefined when the text is no fingerprint, null when no key has it */
async function keyOfFingerprint(db: Reader, text: string): Promise<KeyRow | null | undefined> {
  const [, md5] = md5Form.exec(text) ?? []
  if (md5 !== undefined) return keyByMd5Fingerprint(db, md5.toLowerCase())
  const [, sha256] = sha256Form.exec(text) ?? []
  return sha256 === undefined ? undefined : keyByFingerprint(db, `SHA256:${sha256}`)
}

export function createKeyLookup({ database, joinsOf, presentUser }: KeyLookupNeeds) {
  const db = database.read

  async function present(row: KeyRow, reader: Actor): Promise<Static<typeof KeyWithOwner>> {
    const ownerId = row.user_id ?? row.owner_id
    const owner = ownerId === null ? null : await userById(db, ownerId)
    const key = { ...presentKey(row), user: owner && (await presentUser(owner, reader)) }
    if (row.kind === 'user') return key
    const joins = await joinsOf(db, row.id)
    return { ...key, deploy_keys_projects: joins.map(({ key_id, ...join }) => ({ deploy_key_id: key_id, ...join })) }
  }

  return {
    /** @throws ApiError 404 */
    async byId(id: string | undefined, reader: Actor): Promise<Static<typeof KeyWithOwner>> {
      const row = /^\d{1,15}$/.test(id ?? '') ? await keyById(db, Number(id)) : null
      if (!row) throw recordNotFound()
      return present(row, reader)
    },
    /**
     * @param fingerprint MD5 in pairs, or SHA-256 in base64, each as `ssh-keygen -l` tells it
     * @throws ApiError 404, or 400 when it is no fingerprint
     */
    async byFingerprint(fingerprint: string, reader: Actor): Promise<Static<typeof KeyWithOwner>> {
      const row = await keyOfFingerprint(db, fingerprint)
      if (row === undefined) throw failure(400, 'Failed to return the key')
      if (!row) throw notFound('Key')
      return present(row, reader)
    },
  }
}
