import {
  type Actor,
  conflict,
  dayOf,
  failure,
  forbidden,
  notFound,
  recordNotFound,
  requireSignedIn,
  t,
  takenIn,
} from '../../../api/index.ts'
import { isUniqueViolation, now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { addNamingNotes, type ChangeOrigin } from '../../issuables/index.ts'
import { visibleProject } from '../../projects/index.ts'
import { type Issue, issuableOf, mayChange, readableAmong, readableIssue, refOf } from '../core/access.ts'
import { issuesByIds } from '../core/store.ts'
import { factsOf } from '../present/facts.ts'
import { presentBasic, presentListed } from '../present/present.ts'
import type { IssueLinkRow } from '../tables.ts'
import { deleteLink, insertLink, linkById, linksOf } from './store.ts'

export const linkTypes = ['relates_to', 'blocks', 'is_blocked_by'] as const
/** How an issue is linked to another one, seen from it. */
export type LinkType = (typeof linkTypes)[number]

export const newLink = {
  target_project_id: t.required(t.string({ description: 'Id or path of the project.' })),
  target_issue_iid: t.required(t.integer()),
  link_type: takenIn<LinkType>({ tier: 'premium' }, t.oneOf(linkTypes), t.oneOf(['relates_to'])),
}

/** A link as one of its issues sees it: to the other one. */
type SeenLink = { link: IssueLinkRow; other: Issue; type: LinkType }

const typeSeenFrom = (issueId: number, { source_id, link_type }: IssueLinkRow): LinkType =>
  link_type === 'blocks' && source_id !== issueId ? 'is_blocked_by' : link_type

const otherEnd = (issueId: number, { source_id, target_id }: IssueLinkRow) =>
  source_id === issueId ? target_id : source_id

/** Those of these links whose other issue the caller can read. */
async function readableLinks(platform: Platform, issue: Issue, links: readonly IssueLinkRow[], actor: Actor) {
  const issueId = issue.row.id
  const rows = await issuesByIds(
    platform.database.read,
    links.map((link) => otherEnd(issueId, link)),
  )
  const found = await readableAmong(platform, rows, actor, dayOf(platform.clock.now()))
  const byId = new Map(found.map((one) => [one.row.id, one]))
  return links.flatMap((link): SeenLink[] => {
    const other = byId.get(otherEnd(issueId, link))
    return other ? [{ link, other, type: typeSeenFrom(issueId, link) }] : []
  })
}

/** The issues that are linked to one, oldest link first (contract 16, x.issue_links). */
export async function listLinks(platform: Platform, issue: Issue, actor: Actor) {
  const links = await linksOf(platform.database.read, issue.row.id)
  const seen = await readableLinks(platform, issue, links, actor)
  const rows = seen.map(({ other }) => other.row)
  const facts = await factsOf(platform, rows, actor)
  return seen.map(({ link, other, type }) => ({
    ...presentListed(
      platform,
      other.row,
      facts,
      other.row.project_id === issue.row.project_id ? 'project' : 'instance',
    ),
    issue_link_id: link.id,
    link_type: type,
    link_created_at: link.created_at,
    link_updated_at: link.updated_at,
  }))
}

async function presentLink(platform: Platform, issue: Issue, { link, other, type }: SeenLink, actor: Actor) {
  const facts = await factsOf(platform, [issue.row, other.row], actor)
  const [source_issue, target_issue] = [issue.row, other.row].map((row) => presentBasic(platform, row, facts))
  return { id: link.id, source_issue, target_issue, link_type: type } as {
    id: number
    source_issue: ReturnType<typeof presentBasic>
    target_issue: ReturnType<typeof presentBasic>
    link_type: LinkType
  }
}

/** A link of an issue to one that the caller can read. @throws ApiError 404 */
async function requireLink(platform: Platform, issue: Issue, linkId: number, actor: Actor): Promise<SeenLink> {
  const link = await linkById(platform.database.read, linkId)
  if (!link || ![link.source_id, link.target_id].includes(issue.row.id)) throw recordNotFound()
  const [seen] = await readableLinks(platform, issue, [link], actor)
  if (!seen) throw recordNotFound()
  return seen
}

/** A link of an issue (contract 16, x.issue_link_get). @throws ApiError 404 */
export async function getLink(platform: Platform, issue: Issue, linkId: number, actor: Actor) {
  return presentLink(platform, issue, await requireLink(platform, issue, linkId, actor), actor)
}

/** How one issue refers to another one. */
function referenceFrom(from: Issue, { row, project }: Issue): string {
  return from.row.project_id === row.project_id ? `#${row.iid}` : `${project.full_path}#${row.iid}`
}

const phrases: Record<LinkType, string> = {
  relates_to: 'marked this issue as related to',
  blocks: 'marked this issue as blocking',
  is_blocked_by: 'marked this issue as blocked by',
}
const inverse: Record<LinkType, LinkType> = {
  relates_to: 'relates_to',
  blocks: 'is_blocked_by',
  is_blocked_by: 'blocks',
}

/** The system notes on both issues of a link. */
function notesOf(issue: Issue, other: Issue, textOf: (from: Issue, to: Issue) => string) {
  return [
    { noteable: issuableOf(issue.row), body: textOf(issue, other), names: refOf(other.row) },
    { noteable: issuableOf(other.row), body: textOf(other, issue), names: refOf(issue.row) },
  ]
}

const noMatch = () => failure(404, 'No matching issue found. Make sure that you are adding a valid issue URL.')

/**
 * Links two issues (contract 16, x.issue_link_create).
 * @throws ApiError 409 when they are linked already
 */
export async function linkIssues(
  platform: Platform,
  { issue, other, type }: { issue: Issue; other: Issue; type: LinkType },
  origin: ChangeOrigin,
): Promise<IssueLinkRow> {
  const ends = [issue.row.id, other.row.id] as const
  const [source_id, target_id] = type === 'is_blocked_by' ? ([ends[1], ends[0]] as const) : ends
  const stored = { source_id, target_id, link_type: type === 'relates_to' ? type : ('blocks' as const) }
  return platform.database
    .write(async (tx) => {
      const link = await insertLink(tx, { ...stored, created_at: origin.at })
      const textOf = (from: Issue, to: Issue) =>
        `${phrases[from === issue ? type : inverse[type]]} ${referenceFrom(from, to)}`
      await addNamingNotes(tx, notesOf(issue, other, textOf), origin)
      return link
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'issue_links_pair_unique') ? conflict('Issue(s) already assigned') : error
    })
}

type Given = { target_project_id: string; target_issue_iid: number; link_type?: LinkType }

/** @throws ApiError 403, 404, 409 */
export async function createLink(platform: Platform, issue: Issue, caller: Actor, given: Given) {
  const actor = requireSignedIn(caller)
  if (!mayChange(actor, issue)) throw forbidden()
  const { read: db } = platform.database
  const project = await visibleProject(db, given.target_project_id, actor, dayOf(platform.clock.now()))
  if (!project) throw notFound('Project')
  const other = await readableIssue(db, project, given.target_issue_iid, actor)
  if (!other) throw recordNotFound()
  if (other.row.id === issue.row.id) throw noMatch()
  const type = given.link_type ?? 'relates_to'
  const origin = { userId: actor.userId, at: now(platform.clock) }
  const link = await linkIssues(platform, { issue, other, type }, origin)
  return presentLink(platform, issue, { link, other, type }, actor)
}

/** Removes a link (contract 16, x.issue_link_delete). @throws ApiError 404, also for callers without the right to */
export async function removeLink(platform: Platform, issue: Issue, caller: Actor, linkId: number) {
  const actor = requireSignedIn(caller)
  const seen = await requireLink(platform, issue, linkId, actor)
  if (!mayChange(actor, issue)) throw failure(404, 'No Issue Link found')
  const presented = await presentLink(platform, issue, seen, actor)
  const origin = { userId: actor.userId, at: now(platform.clock) }
  await platform.database.write(async (tx) => {
    if (!(await deleteLink(tx, linkId))) throw recordNotFound()
    const textOf = (from: Issue, to: Issue) => `removed the relation with ${referenceFrom(from, to)}`
    await addNamingNotes(tx, notesOf(issue, seen.other, textOf), origin)
  })
  return presented
}
