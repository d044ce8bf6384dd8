import { computed, fact, forms, nullable, object, of, Type } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { type UserRow, usersByIds } from '../users/index.ts'
import { type EventForm, formOf } from './catalogue.ts'
import type { EntityKind } from './store.ts'
import type { AuditEventRow } from './tables.ts'

/** The words of the API for what events are about. */
export const entityTypes = {
  user: 'User',
  group: 'Group',
  project: 'Project',
  instance: 'Gitlab::Audit::InstanceScope',
} as const satisfies Record<EntityKind, string>

type OfTarget = Pick<AuditEventRow, 'target_kind'>

const isOfInstance = ({ target_kind: kind }: OfTarget) => !Object.hasOwn(entityTypes, kind) || kind === 'instance'

const typeOf = (row: OfTarget): string => entityTypes[isOfInstance(row) ? 'instance' : (row.target_kind as EntityKind)]

/** Older events name the account only as long as it is there. */
const authorIdOf = ({ author_id: author, actor_id: actor }: AuditEventRow) => author ?? actor

/** The author of what no account did. */
const unauthenticated = { id: -1, class: 'Gitlab::Audit::UnauthenticatedAuthor' }

/** @property showsAddresses whether the caller may know the primary addresses of all users */
type View = { db: Reader; showsAddresses: boolean }

const text = Type.Optional(Type.String())

const Details = Type.Object({
  author_name: Type.String({ description: 'Of a user who is gone, the user name of that time.' }),
  author_email: forms.nullableString,
  author_class: Type.String(),
  target_id: nullable(Type.Union([Type.Integer(), Type.String()])),
  target_type: Type.String(),
  target_details: forms.nullableString,
  ip_address: forms.nullableString,
  entity_path: forms.nullableString,
  event_name: Type.String(),
  custom_message: text,
  add: text,
  remove: text,
  as: text,
  change: text,
  from: text,
  to: text,
  with: text,
  failed_login: text,
})

/** What an event says of its act, by the form of its kind. */
function phraseOf(form: EventForm, { changed, told }: AuditEventRow) {
  const { change, from, to, as, with: by } = told ?? {}
  const values = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  switch (form.form) {
    case 'add':
    case 'remove':
      return { [form.form]: form.of, ...(as !== undefined && { as }) }
    case 'change':
      return { change: change ?? form.of ?? (changed.join(', ') || form.event), ...values }
    case 'with':
      return { with: by ?? 'standard' }
    case 'failed_login':
      return { failed_login: 'STANDARD' }
    case 'message':
      return { custom_message: form.of }
  }
}

/** What was acted on: the part that the act names, else the entity. */
function targetOf({ part, isNamed }: EventForm, { detail, ...row }: AuditEventRow) {
  const kind = typeOf(row)
  if (detail === null) {
    return { target_id: row.target_id, target_type: part ?? kind, target_details: row.target_path }
  }
  const id = !isNamed && /^\d{1,15}$/.test(detail) ? Number(detail) : detail
  return { target_id: id, target_type: part ?? kind, target_details: detail }
}

function detailsOf(row: AuditEventRow, author: UserRow | undefined, { showsAddresses }: View) {
  const form = formOf(row)
  return {
    author_name: author?.name ?? row.actor_name,
    author_email: (showsAddresses ? author?.email : author?.public_email) ?? null,
    author_class: authorIdOf(row) === null ? unauthenticated.class : 'User',
    ...targetOf(form, row),
    ip_address: row.ip_address,
    entity_path: row.target_path,
    event_name: form.event,
    ...phraseOf(form, row),
  }
}

const events = of<AuditEventRow, View>().facts({
  authors: (rows, { db }) =>
    usersByIds(
      db,
      rows.flatMap((row) => authorIdOf(row) ?? []),
    ),
})

/** An event of the audit trail (contract 26.7). */
export const AuditEvent = object('AuditEvent', events, {
  id: forms.id,
  author_id: computed(
    Type.Integer({ description: 'Also of a user who is gone; -1: no account.' }),
    (row) => authorIdOf(row) ?? unauthenticated.id,
  ),
  entity_id: computed(forms.id, (row) => (isOfInstance(row) ? 1 : (row.target_id ?? 1))),
  entity_type: computed(Type.String({ enum: Object.values(entityTypes) }), (row) => typeOf(row)),
  event_name: computed(Type.String(), (row) => formOf(row).event),
  details: fact(Details, 'authors', (row, view) => detailsOf(row, view.authors.get(authorIdOf(row) ?? 0), view)),
  created_at: forms.timestamp,
})
