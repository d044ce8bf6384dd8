import { anything, forms, oneOf, type Static, Type } from '../../api/index.ts'
import type { PushData } from '../events/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../users/index.ts'
import type { ShownEvent } from './store.ts'

/** The comment of an event. */
const EventNote = Type.Object(
  {
    id: forms.id,
    body: Type.String(),
    attachment: forms.nullableString,
    author: UserBasic,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    system: Type.Boolean(),
    noteable_id: forms.nullableInteger,
    noteable_type: Type.String(),
    noteable_iid: forms.nullableInteger,
    project_id: forms.nullableInteger,
    internal: Type.Boolean(),
  },
  { title: 'EventNote' },
)

/** An activity of a user (contract 21, Event). */
export const Event = Type.Object(
  {
    id: forms.id,
    project_id: forms.nullableInteger,
    action_name: Type.String(),
    target_id: forms.nullableInteger,
    target_iid: forms.nullableInteger,
    target_type: forms.nullableString,
    author_id: forms.nullableInteger,
    target_title: forms.nullableString,
    created_at: forms.timestamp,
    author: Type.Optional(UserBasic),
    imported: Type.Boolean(),
    imported_from: oneOf(['none']),
    author_username: forms.nullableString,
    push_data: Type.Optional(Type.Unsafe<PushData>({})),
    note: Type.Optional(EventNote),
    wiki_page: Type.Optional(anything),
  },
  { title: 'ActivityEvent' },
)

export type Authors = { users: ReadonlyMap<number, UserRow>; presenting: PresentingUsers }

function noteOf(event: ShownEvent, author: Static<typeof UserBasic>): Static<typeof EventNote> | undefined {
  const { note_body: body, note_updated_at: updatedAt } = event
  if (body === null || updatedAt === null) return undefined
  return {
    ...{ id: event.target_id ?? 0, body, attachment: null, author },
    ...{ created_at: event.created_at, updated_at: updatedAt, system: false },
    ...{ noteable_id: event.noteable_id, noteable_type: event.noteable_type ?? '', noteable_iid: event.noteable_iid },
    ...{ project_id: event.project_id, internal: event.note_internal === true },
  }
}

function wikiPageOf({ target_type: type, target_title: title }: ShownEvent) {
  if (type !== 'WikiPage::Meta' || title === null) return undefined
  return { format: 'markdown', slug: title.replaceAll(' ', '-'), title }
}

export function presentEvent(event: ShownEvent, { users, presenting }: Authors): Static<typeof Event> {
  const user = users.get(event.author_id ?? 0)
  const author = user && presentUserBasic(user, presenting)
  const note = author && noteOf(event, author)
  const wikiPage = wikiPageOf(event)
  return {
    ...{ id: event.id, project_id: event.project_id, action_name: event.action },
    ...{ target_id: event.target_id, target_iid: event.target_iid, target_type: event.target_type },
    ...{ author_id: event.author_id, target_title: event.target_title, created_at: event.created_at },
    ...(author && { author }),
    ...{ imported: false, imported_from: 'none', author_username: user?.username ?? null },
    ...(event.push_data && { push_data: event.push_data }),
    ...(note && { note }),
    ...(wikiPage && { wiki_page: wikiPage }),
  }
}
