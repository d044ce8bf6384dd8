import {
  blank,
  forms,
  invalid,
  lengthProblems,
  notFound,
  object,
  of,
  type PageRequest,
  refuse,
  Type,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, claim, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import type { Group } from '../groups/index.ts'
import { acceptedKey, formatSshKey, type SshKey, sha256Fingerprint } from '../keys/index.ts'
import * as store from './store.ts'
import type { GroupSshCertificateRow } from './tables.ts'

/** The key of an authority (contract 26.12, Certificate). */
export const SshCertificate = object('SshCertificate', of<GroupSshCertificateRow>(), {
  id: forms.id,
  title: Type.String(),
  key: Type.String(),
  created_at: forms.timestamp,
})

const longestTitle = 256
/** Certificates of one group (contract 26.12). */
const mostCertificates = 20

/** A page of the certificates of a group (contract 26, x.ssh_certificate_list). */
export async function listCertificates({ database }: Platform, group: Group, page: PageRequest) {
  const found = await store.pageOfCertificates(database.read, group.id, page)
  return { ...found, items: found.items.map((row) => SshCertificate.present(row)) }
}

/** The key of a request. @throws ApiError 400, form C, with all problems together */
async function readRequest({ settings }: Platform, text: string, title: string): Promise<SshKey> {
  const key = acceptedKey(text, await settings.current())
  const titleProblems = [...(title.trim() === '' ? [blank] : []), ...lengthProblems(title, longestTitle)]
  if (!key) throw invalid({ key: ['Invalid key'], ...(titleProblems.length > 0 && { title: titleProblems }) })
  refuse({ title: titleProblems })
  return key
}

const taken = 'must be unique. This CA has already been configured for another namespace.'

/** Lets a group accept the certificates of an authority (contract 26, x.ssh_certificate_create). @throws ApiError 400 */
export async function createCertificate(
  platform: Platform,
  group: Group,
  { key: text, title }: { key: string; title: string },
  act: Act,
) {
  const { database, clock } = platform
  const key = await readRequest(platform, text, title)
  const values = { namespace_id: group.id, title, key: formatSshKey(key), created_at: now(clock) }
  const row = await database
    .write(async (tx) => {
      await acquireLock(tx, `group_ssh_certificates:${group.id}`)
      if ((await store.countCertificates(tx, group.id)) >= mostCertificates) {
        throw invalid({ base: [`Maximum number of SSH certificates (${mostCertificates}) exceeded`] })
      }
      const added = await store.insertCertificate(tx, { ...values, fingerprint_sha256: sha256Fingerprint(key.blob) })
      await act(tx, added.id)
      return added
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? invalid({ fingerprint: [taken] }) : error
    })
  return SshCertificate.present(row)
}

/** A certificate of a group. @throws ApiError 404 */
async function requireCertificate(db: Reader, group: Group, id: number): Promise<GroupSshCertificateRow> {
  const row = await store.certificateById(db, id)
  if (row?.namespace_id !== group.id) throw notFound('SSH Certificate')
  return row
}

/** Ends that a group accepts the certificates of an authority (contract 26, x.ssh_certificate_delete). @throws ApiError 404, 412 */
export async function deleteCertificate(
  { database }: Platform,
  group: Group,
  id: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'group_ssh_certificates', () => requireCertificate(tx, group, id))
    unmodified(row.created_at)
    await store.deleteCertificate(tx, row.id)
    await act(tx, row.id)
  })
}
