import { anything, forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import { ReplicationNode } from '../nodes/present.ts'
import type { ReplicableRow } from '../replicables/store.ts'
import type { EventRow } from '../tables.ts'
import type { ReplicableType } from '../types.ts'

/** What a secondary has to know about itself and the primary (x.geo_int.node). */
export const OwnConfiguration = Type.Object(
  {
    node: ReplicationNode,
    primary: ReplicationNode,
    storage_shards: forms.strings,
    last_event_id: Type.Integer(),
    registry_public_key: nullable(anything),
    server_time: forms.timestamp,
  },
  { title: 'ReplicationConfiguration' },
)

/** An item of the primary (contract 15, Replicable). */
export const Replicable = Type.Object(
  {
    id: forms.id,
    type: Type.String(),
    project_id: forms.nullableInteger,
    group_id: forms.nullableInteger,
    storage: forms.nullableString,
    size: Type.Integer(),
    checksum: forms.nullableString,
    checksummed_at: forms.nullableTimestamp,
    object_storage: Type.Boolean(),
    updated_at: forms.timestamp,
  },
  { title: 'Replicable' },
)

export function presentReplicable(
  row: ReplicableRow,
  type: ReplicableType,
  objectStorage: boolean,
): Static<typeof Replicable> {
  const { size_bytes: size, ...shown } = row
  return { ...shown, type, size, object_storage: objectStorage }
}

/** A change at the primary (contract 15, Event). */
const Event = Type.Object(
  {
    id: forms.id,
    created_at: forms.timestamp,
    type: forms.nullableString,
    replicable_id: Type.Integer(),
    action: oneOf(['created', 'updated', 'deleted', 'checksummed', 'node_updated']),
    checksum: forms.nullableString,
  },
  { title: 'ReplicationEvent' },
)

/** A part of the log, with the newest event of all. */
export const Events = Type.Object(
  { last_event_id: Type.Integer(), events: Type.Array(Event) },
  { title: 'ReplicationEvents' },
)

export const presentEvents = (events: readonly EventRow[], newest: number): Static<typeof Events> => ({
  last_event_id: newest,
  events: [...events],
})

/** Whether a secondary may answer a client, and with which item (x.geo_int.authorize). */
export const Decision = Type.Object(
  {
    allowed: Type.Boolean(),
    status: Type.Integer(),
    body: forms.nullableString,
    www_authenticate: forms.nullableString,
    type: forms.nullableString,
    id: forms.nullableInteger,
    checksum: forms.nullableString,
  },
  { title: 'ReplicationDecision' },
)
