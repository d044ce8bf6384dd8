import { notFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import type { LabelRow } from '../tables.ts'
import { ownLabel, usableLabel } from './store.ts'

/** How a request names a label: a text that looks like a number is an id first (contract 17, "Operations: project labels"). */
export type LabelKey = string | { id: number } | { title: string }

type Find = typeof ownLabel

async function found(db: Reader, parent: ProjectOrGroupRef, key: LabelKey, find: Find): Promise<LabelRow | null> {
  if (typeof key !== 'string') return find(db, parent, key)
  const id = /^\d+$/.test(key) ? Number(key) : Number.NaN
  const byId = Number.isSafeInteger(id) ? await find(db, parent, { id }) : null
  return byId ?? find(db, parent, { title: key })
}

/** A label that belongs to the project or group itself. @throws ApiError 404 Label */
export async function requireOwnLabel(db: Reader, parent: ProjectOrGroupRef, key: LabelKey): Promise<LabelRow> {
  const row = await found(db, parent, key, ownLabel)
  if (!row) throw notFound('Label')
  return row
}

/** A label that the project or group has or inherits. @throws ApiError 404 Label */
export async function requireUsableLabel(db: Reader, parent: ProjectOrGroupRef, key: LabelKey): Promise<LabelRow> {
  const row = await found(db, parent, key, usableLabel)
  if (!row) throw notFound('Label')
  return row
}
