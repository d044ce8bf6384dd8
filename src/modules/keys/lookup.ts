import { type Actor, failure, notFound, recordNotFound, type Static } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { OwnUser, userById, userView } from '../users/index.ts'
import { KeyWithOwner } from './present.ts'
import { keyByFingerprint, keyById, keyByMd5Fingerprint } from './store.ts'
import type { KeyRow } from './tables.ts'

/** A project that a deploy key is enabled for. */
type DeployKeyProject = {
  id: number
  key_id: number
  project_id: number
  can_push: boolean
  created_at: string
  updated_at: string
}

declare module '../../platform/platform.ts' {
  interface Questions {
    /** The projects that a deploy key is enabled for, by id. */
    'keys.deploy_key_projects'(keyId: number): Promise<readonly DeployKeyProject[]>
  }
}

type PresentedKeyWithOwner = Static<typeof KeyWithOwner>

const md5Form = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i
const sha256Form = /^SHA256:([A-Za-z0-9+/]{43})=?$/

/** @returns undefined when the text is not a fingerprint, null when no key has it */
async function keyOfFingerprint(db: Reader, text: string): Promise<KeyRow | null | undefined> {
  const [, md5] = md5Form.exec(text) ?? []
  if (md5 !== undefined) return keyByMd5Fingerprint(db, md5.toLowerCase())
  const [, sha256] = sha256Form.exec(text) ?? []
  return sha256 === undefined ? undefined : keyByFingerprint(db, `SHA256:${sha256}`)
}

async function present(platform: Platform, row: KeyRow, reader: Actor): Promise<PresentedKeyWithOwner> {
  const ownerId = row.user_id ?? row.owner_id
  const owner = ownerId === null ? null : await userById(platform.database.read, ownerId)
  const user = owner && (await OwnUser.presentOne(owner, await userView(platform, reader, { isWhole: false })))
  if (row.kind === 'user') return KeyWithOwner.present({ ...row, user })
  const projects = await platform.ports['keys.deploy_key_projects'](platform, row.id)
  const joins = projects.map(({ key_id, ...rest }) => ({ deploy_key_id: key_id, ...rest }))
  return KeyWithOwner.present({ ...row, user, deploy_keys_projects: joins })
}

/** A key of any kind with its owner (contract 01, x.key_get). @throws ApiError 404 */
export async function getKeyWithOwner(platform: Platform, id: string, reader: Actor): Promise<PresentedKeyWithOwner> {
  const row = /^\d{1,15}$/.test(id) ? await keyById(platform.database.read, Number(id)) : null
  if (!row) throw recordNotFound()
  return present(platform, row, reader)
}

/**
 * A key of any kind with its owner (contract 01, x.key_by_fingerprint).
 * @param fingerprint MD5 in pairs, or SHA-256 in base64, as `ssh-keygen -l` prints them
 * @throws ApiError 404; 400 when it is not a fingerprint
 */
export async function findKeyWithOwner(platform: Platform, fingerprint: string, reader: Actor) {
  const row = await keyOfFingerprint(platform.database.read, fingerprint)
  if (row === undefined) throw failure(400, 'Failed to return the key')
  if (!row) throw notFound('Key')
  return present(platform, row, reader)
}
