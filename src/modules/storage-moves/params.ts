import { type ParamValues, t } from '../../api/index.ts'

const destination = t.string({ description: 'A configured storage; chosen by weight unless given' })

/** The parameters of one move. */
export const newMove = { destination_storage_name: destination }

/** The parameters of the moves of everything in a storage. */
export const bulkMove = {
  source_storage_name: t.required(t.string({ description: 'A configured storage' })),
  destination_storage_name: destination,
}
export type BulkMove = ParamValues<typeof bulkMove>

export const moveInPath = { repository_storage_id: t.id() }
export const snippetInPath = { id: t.id() }
