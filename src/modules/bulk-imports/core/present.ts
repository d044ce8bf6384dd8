import { computed, fact, forms, from, object, of, oneOf, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { type BulkImportRow, type EntityRow, entityTypes, type FailureRow, states } from '../tables.ts'
import { countedRelations, firstFailures } from './store.ts'

const text = Type.String()

/** A migration (contract 25, Migration). */
export const BulkImport = object('BulkImport', of<BulkImportRow>(), {
  id: forms.id,
  status: oneOf(states),
  source_type: computed(oneOf(['gitlab']), () => 'gitlab' as const),
  source_url: text,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  has_failures: Type.Boolean(),
})

/** Something that could not be imported (contract 25, EntityFailure). */
export const BulkImportFailure = object('BulkImportFailure', of<FailureRow>(), {
  relation: text,
  exception_message: text,
  exception_class: text,
  correlation_id_value: from(forms.nullableString, 'correlation_id'),
  source_url: forms.nullableString,
  source_title: forms.nullableString,
})

const Counts = Type.Object({ source: Type.Integer(), fetched: Type.Integer(), imported: Type.Integer() })

const entities = of<EntityRow, { db: Reader }>().facts({
  failures: (rows, { db }) =>
    firstFailures(
      db,
      rows.map(({ id }) => id),
    ),
  relations: (rows, { db }) =>
    countedRelations(
      db,
      rows.map(({ id }) => id),
    ),
})

const pathOf = ({ destination_namespace: namespace, destination_slug: slug }: EntityRow) =>
  namespace === '' ? slug : `${namespace}/${slug}`

/** A group or project of a migration (contract 25, MigrationEntity). */
export const BulkImportEntity = object('BulkImportEntity', entities, {
  id: forms.id,
  bulk_import_id: forms.id,
  status: oneOf(states),
  entity_type: oneOf(entityTypes),
  source_full_path: text,
  destination_full_path: computed(text, pathOf),
  destination_name: from(text, 'destination_slug'),
  destination_slug: text,
  destination_namespace: text,
  parent_id: forms.nullableInteger,
  namespace_id: forms.nullableInteger,
  project_id: forms.nullableInteger,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  failures: fact(Type.Array(BulkImportFailure), 'failures', ({ id }, { failures }) =>
    (failures.get(id) ?? []).map((failure) => BulkImportFailure.present(failure)),
  ),
  migrate_projects: Type.Boolean(),
  migrate_memberships: Type.Boolean(),
  has_failures: Type.Boolean(),
  stats: fact(Type.Record(text, Counts), 'relations', ({ id }, { relations }) =>
    Object.fromEntries(
      (relations.get(id) ?? []).map(({ relation, source_count, fetched_count, imported_count }) => [
        relation,
        { source: source_count, fetched: fetched_count, imported: imported_count },
      ]),
    ),
  ),
})
