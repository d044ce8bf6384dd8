import { forms, Type } from '../../../api/index.ts'
import type { Relation } from '../running/relation.ts'
import type { ExportFileRow, ExportRow } from '../tables.ts'

const state = Type.Integer({ description: '0: is being exported. 1: finished. -1: failed.' })

const Batch = Type.Object(
  {
    status: state,
    batch_number: Type.Integer(),
    objects_count: Type.Integer(),
    error: forms.nullableString,
    updated_at: forms.timestamp,
  },
  { title: 'RelationExportBatch' },
)

export const ExportStatus = Type.Object(
  {
    relation: Type.String(),
    status: state,
    error: forms.nullableString,
    updated_at: forms.timestamp,
    batched: Type.Boolean(),
    batches_count: Type.Integer(),
    total_objects_count: Type.Integer(),
    batches: Type.Optional(Type.Array(Batch)),
  },
  { title: 'RelationExportStatus' },
)

const presentBatch = ({ status, number, objects_count, error, updated_at }: ExportFileRow) => ({
  ...{ status, batch_number: number, objects_count, error, updated_at },
})

/** An export with its batches (contract 14, ExportStatus). @param files those of the export, by number */
export function presentExport({ name }: Relation, row: ExportRow, files: readonly ExportFileRow[]) {
  const { status, error, updated_at, batched, objects_count: total_objects_count } = row
  const shared = { relation: name, status, error, updated_at, batched, total_objects_count }
  if (!batched) return { ...shared, batches_count: 0 }
  return { ...shared, batches_count: files.length, batches: files.map(presentBatch) }
}
