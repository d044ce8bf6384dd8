import {
  nothing,
  type Operation,
  operation,
  type Param,
  reading,
  type Subject,
  Type,
  t,
  type UploadedFile,
  writing,
} from '../../api/index.ts'
import type { GroupSubject } from '../groups/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { WikiAttachments } from './attachments.ts'
import { writableFormats } from './formats.ts'
import type { PageReading } from './page-reading.ts'
import type { PageWriting } from './page-writing.ts'
import { ListedWikiPage, WikiAttachment, WikiPage } from './present.ts'
import type { WikiOwner } from './repository.ts'

const tag = 'Wikis'

type WikiAbility = 'read_wiki' | 'write_wiki' | 'delete_wiki_pages'

/** What has wikis: projects and groups. The operations are the same. */
type Place<S> = {
  subject: Subject<S, WikiAbility>
  noun: 'project' | 'group'
  id: string
  contract: string
  path: string
  ownerOf(subject: S): WikiOwner
}

type Parts = { reading: PageReading; writing: PageWriting; attachments: WikiAttachments }

const format = t.oneOf(writableFormats, { description: 'How it is written; `markdown` for a new page unless given.' })
const title = t.string({ description: 'Blanks become dashes in the slug, slashes lead into directories.' })
const content = t.string({ description: 'The whole text.' })

const uploaded = t.file({ description: 'The file, as a part of a form.' })

/** A file that must be there, and be one. */
const file: Param<UploadedFile, true> = {
  ...t.required(uploaded as Param<UploadedFile, false>),
  read(value, name, problems) {
    const read = uploaded.read(value, name, problems)
    if (read === '') problems.push({ name, missing: true, text: 'is missing' })
    return read || undefined
  },
}

function readingOperations<S>(place: Place<S>, { reading: pages }: Parts): Operation[] {
  const { id, contract, path, noun, ownerOf } = place
  const shared = { tag, subject: place.subject, method: 'GET', allow: 'read_wiki', scopes: reading } as const
  return [
    operation({
      ...shared,
      id: `${id}.list`,
      contract: `${contract}_list`,
      path,
      summary: `List the wiki pages of a ${noun}`,
      params: { with_content: t.boolean({ description: 'Whether the text of each page comes along.' }) },
      result: [200, Type.Array(ListedWikiPage)],
      run: ({ subject, params, request }) =>
        pages.list(ownerOf(subject), { withContent: params.with_content ?? false, signal: request.signal }),
    }),
    operation({
      ...shared,
      id: `${id}.get`,
      contract: `${contract}_get`,
      path: `${path}/:slug`,
      summary: `Get a wiki page of a ${noun}`,
      params: {
        render_html: t.boolean({ description: 'Whether the content is HTML.' }),
        version: t.string({ description: 'The commit at which it is read; the newest unless given.' }),
      },
      result: [200, WikiPage],
      run: ({ subject, params, request }) =>
        pages.get(ownerOf(subject), request.path.slug ?? '', {
          renderHtml: params.render_html,
          version: params.version || undefined,
        }),
    }),
  ]
}

function pageOperations<S>(place: Place<S>, { writing: pages }: Parts): Operation[] {
  const { id, contract, path, noun, subject, ownerOf } = place
  const shared = { tag, subject, scopes: writing }
  return [
    operation({
      ...shared,
      id: `${id}.create`,
      contract: `${contract}_create`,
      method: 'POST',
      path,
      summary: `Create a wiki page in a ${noun}`,
      allow: 'write_wiki',
      params: { title: t.required(title), content: t.required(content), format },
      result: [201, WikiPage],
      run: ({ subject, actor, params }) => pages.create(ownerOf(subject), actor, params),
    }),
    operation({
      ...shared,
      id: `${id}.update`,
      contract: `${contract}_update`,
      method: 'PUT',
      path: `${path}/:slug`,
      summary: `Change a wiki page of a ${noun}`,
      description: 'A new title moves the page inside its directory; one with a slash leads from the root of the wiki.',
      allow: 'write_wiki',
      params: { title, content, format },
      atLeastOne: ['title', 'content', 'format'],
      result: [200, WikiPage],
      run: ({ subject, actor, params, request }) =>
        pages.update(ownerOf(subject), actor, request.path.slug ?? '', params),
    }),
    operation({
      ...shared,
      id: `${id}.delete`,
      contract: `${contract}_delete`,
      method: 'DELETE',
      path: `${path}/:slug`,
      summary: `Delete a wiki page of a ${noun}`,
      allow: 'delete_wiki_pages',
      result: [204, nothing],
      run: ({ subject, actor, request }) => pages.remove(ownerOf(subject), actor, request.path.slug ?? ''),
    }),
  ]
}

function attachmentOperations<S>(place: Place<S>, { attachments }: Parts): Operation[] {
  const { id, contract, path, noun, subject, ownerOf } = place
  return [
    operation({
      id: `${id}.attach`,
      contract: `${contract}_attach`,
      method: 'POST',
      path: `${path}/attachments`,
      tag,
      summary: `Attach a file to the wiki of a ${noun}`,
      subject,
      allow: 'write_wiki',
      scopes: writing,
      params: { file, branch: t.string({ description: 'Gets the file; the branch of the pages unless given.' }) },
      result: [201, WikiAttachment],
      run: ({ subject, actor, params }) => attachments.attach(ownerOf(subject), actor, params.file, params.branch),
    }),
  ]
}

function operationsAt<S>(place: Place<S>, parts: Parts): Operation[] {
  return [...readingOperations(place, parts), ...attachmentOperations(place, parts), ...pageOperations(place, parts)]
}

/** Wikis of projects and of groups (contract 22, x.wikis_*, x.gwikis_*). */
export function wikiOperations({
  project,
  group,
  ...parts
}: Parts & { project: ProjectSubject; group: GroupSubject }): Operation[] {
  return [
    ...operationsAt(
      {
        subject: project,
        noun: 'project',
        id: 'project_wikis',
        contract: 'x.wikis',
        path: '/projects/:id/wikis',
        ownerOf: (subject) => ({ project: subject }),
      },
      parts,
    ),
    ...operationsAt(
      {
        subject: group,
        noun: 'group',
        id: 'group_wikis',
        contract: 'x.gwikis',
        path: '/groups/:id/wikis',
        ownerOf: (subject) => ({ group: subject }),
      },
      parts,
    ),
  ]
}
