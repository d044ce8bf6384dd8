import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { countRows, type Reader, rows } from '../../infra/database/index.ts'
import { type GroupSshCertificateRow, groupSshCertificates } from './tables.ts'

export const {
  byId: certificateById,
  insert: insertCertificate,
  remove: deleteCertificate,
} = rows(groupSshCertificates)

const ofGroup = (db: Reader, groupId: number) =>
  db.selectFrom('group_ssh_certificates').where('namespace_id', '=', groupId)

/** A page of the certificates of a group, by id. */
export function pageOfCertificates(
  db: Reader,
  groupId: number,
  page: PageRequest,
): Promise<Page<GroupSshCertificateRow>> {
  return pageOfRows(db, ofGroup(db, groupId).selectAll().orderBy('id'), page)
}

export const countCertificates = (db: Reader, groupId: number): Promise<number> => countRows(ofGroup(db, groupId))

export async function certificateByFingerprint(
  db: Reader,
  fingerprint: string,
): Promise<GroupSshCertificateRow | null> {
  const query = db.selectFrom('group_ssh_certificates').selectAll().where('fingerprint_sha256', '=', fingerprint)
  return (await query.executeTakeFirst()) ?? null
}
