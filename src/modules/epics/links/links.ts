import {
  type Actor,
  conflict,
  forms,
  notFound,
  oneOf,
  type PageRequest,
  type Static,
  Type,
} from '../../../api/index.ts'
import { isUniqueViolation, now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Group, groupOfKey, viewerOf } from '../../groups/index.ts'
import type { Epic } from '../core/access.ts'
import { presentEpics } from '../core/load.ts'
import { Epic as EpicObject, type PresentedEpic } from '../core/present.ts'
import { joinableEpic, noMatchingEpic, readableEpics } from '../core/readable.ts'
import { epicByIid, epicsByIds } from '../core/store.ts'
import type { EpicLinkRow } from '../tables.ts'
import * as store from './store.ts'

export const linkTypes = ['relates_to', 'blocks', 'is_blocked_by'] as const
/** How an epic is related to another one, seen from it. */
export type LinkType = (typeof linkTypes)[number]

/** A relation of two epics (contract 26.19, RelatedEpicLink). */
export const RelatedEpicLink = Type.Object(
  {
    id: forms.id,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    link_type: oneOf(linkTypes),
    source_epic: EpicObject,
    target_epic: EpicObject,
  },
  { title: 'RelatedEpicLink' },
)

/** An epic that is related to another one (contract 26.19, RelatedEpic). */
export const RelatedEpic = Type.Object(
  {
    ...EpicObject.properties,
    related_epic_link_id: forms.id,
    link_type: oneOf(linkTypes),
    link_created_at: forms.timestamp,
    link_updated_at: forms.timestamp,
  },
  { title: 'RelatedEpic' },
)

/** A link as one of its epics sees it: to the other one. */
type SeenLink = { link: EpicLinkRow; other: Epic; type: LinkType }

/** The epic at the other end of a link of an epic. */
export const otherEnd = (epicId: number, { source_id, target_id }: EpicLinkRow) =>
  source_id === epicId ? target_id : source_id

/** How a link relates an epic to the other one. */
export const typeSeenFrom = (epicId: number, { source_id, link_type }: EpicLinkRow): LinkType =>
  link_type === 'blocks' && source_id !== epicId ? 'is_blocked_by' : link_type

/** Those of these links of an epic whose other epic the caller can read. */
async function readableLinks(
  platform: Platform,
  db: Reader,
  epicId: number,
  links: readonly EpicLinkRow[],
  actor: Actor,
) {
  const rows = await epicsByIds(
    db,
    links.map((link) => otherEnd(epicId, link)),
  )
  const readable = await readableEpics(platform, db, [...rows.values()], actor)
  const byId = new Map(readable.map((row) => [row.id, row]))
  return links.flatMap((link): SeenLink[] => {
    const other = byId.get(otherEnd(epicId, link))
    return other ? [{ link, other, type: typeSeenFrom(epicId, link) }] : []
  })
}

/** The epics that are related to one, by the oldest link first (contract 26, x.epic_related_list). */
export async function listRelated(platform: Platform, epic: Epic, actor: Actor): Promise<Static<typeof RelatedEpic>[]> {
  const { read: db } = platform.database
  const seen = await readableLinks(platform, db, epic.id, await store.linksOfEpic(db, epic.id), actor)
  const rows = seen.map(({ other }) => other)
  const presented = await presentEpics(platform, rows, actor, { from: epic.group.full_path })
  return seen.map(({ link, type }, index) => ({
    ...(presented[index] as PresentedEpic),
    ...{ related_epic_link_id: link.id, link_type: type },
    ...{ link_created_at: link.created_at, link_updated_at: link.updated_at },
  }))
}

type Ends = { link: EpicLinkRow; type: LinkType; sourceId: number; targetId: number }

/** Presents links; their epics are loaded once for all. */
async function presentLinks(platform: Platform, links: readonly Ends[], actor: Actor, from: string) {
  const ids = links.flatMap(({ sourceId, targetId }) => [sourceId, targetId])
  const rows = [...(await epicsByIds(platform.database.read, ids)).values()]
  const presented = await presentEpics(platform, rows, actor, { from })
  const byId = new Map(presented.map((one) => [one.id, one]))
  return links.flatMap(({ link, type, sourceId, targetId }) => {
    const [source_epic, target_epic] = [byId.get(sourceId), byId.get(targetId)]
    const { id, created_at, updated_at } = link
    return source_epic && target_epic ? [{ id, created_at, updated_at, link_type: type, source_epic, target_epic }] : []
  })
}

async function presentLink(platform: Platform, epic: Epic, { link, other, type }: SeenLink, actor: Actor) {
  const ends = { link, type, sourceId: epic.id, targetId: other.id }
  const [presented] = await presentLinks(platform, [ends], actor, epic.group.full_path)
  if (!presented) throw notFound('Epic Link')
  return presented
}

/** A page of the links of a group and below, whose two epics the caller can read (contract 26, x.epic_related_all). */
export async function listLinks(
  platform: Platform,
  group: Group,
  actor: Actor,
  filter: store.LinkFilter,
  page: PageRequest,
) {
  const viewer = await viewerOf(platform, actor)
  const found = await store.pageOfLinks(platform.database.read, group.id, viewer, filter, page)
  const ends = found.items.map((link) => ({
    ...{ link, type: link.link_type, sourceId: link.source_id, targetId: link.target_id },
  }))
  return { ...found, items: await presentLinks(platform, ends, actor, group.full_path) }
}

type Given = { target_group_id: string; target_epic_iid: number; link_type?: LinkType }

/** Relates two epics (contract 26, x.epic_related_create). @throws ApiError 404, 409 */
export async function relateEpics(platform: Platform, epic: Epic, actor: Actor, given: Given) {
  const { read: db } = platform.database
  const group = await groupOfKey(platform, given.target_group_id, actor)
  const other = await joinableEpic(platform, db, await epicByIid(db, group.id, given.target_epic_iid), actor)
  if (other.id === epic.id) throw noMatchingEpic()
  const type = given.link_type ?? 'relates_to'
  const [source, target] = type === 'is_blocked_by' ? [other, epic] : [epic, other]
  const link_type = type === 'relates_to' ? type : 'blocks'
  const stored = { source_id: source.id, target_id: target.id, link_type, created_at: now(platform.clock) } as const
  const link = await platform.database
    .write((tx) => store.insertEpicLink(tx, stored))
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'epic_links_pair_unique') ? conflict('Epic(s) already assigned') : error
    })
  return presentLink(platform, epic, { link, other, type }, actor)
}

/** Removes the relation of two epics (contract 26, x.epic_related_delete). @throws ApiError 404 */
export async function removeRelation(platform: Platform, epic: Epic, actor: Actor, linkId: number) {
  const { read: db } = platform.database
  const link = await store.epicLinkById(db, linkId)
  const isOwn = link && [link.source_id, link.target_id].includes(epic.id)
  const [seen] = isOwn ? await readableLinks(platform, db, epic.id, [link], actor) : []
  if (!seen) throw notFound('Epic Link')
  const presented = await presentLink(platform, epic, seen, actor)
  if (!(await platform.database.write((tx) => store.deleteEpicLink(tx, linkId)))) throw notFound('Epic Link')
  return presented
}
