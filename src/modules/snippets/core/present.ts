import { forms, notFound, oneOf, type Static, Type } from '../../../api/index.ts'
import { importMembers, type Platform } from '../../../platform/index.ts'
import { type InstanceSettings, visibilityLevels } from '../../../platform/settings/index.ts'
import { projectsByIds } from '../../projects/index.ts'
import {
  type PresentingUsers,
  presentingUsers,
  presentUserBasic,
  UserBasic,
  type UserRow,
  usersByIds,
} from '../../users/index.ts'
import { filesAt, openSnippet } from '../repository/repository.ts'
import type { SnippetRow } from '../tables.ts'

const listed = {
  id: forms.id,
  title: Type.String(),
  file_name: Type.String(),
  description: forms.nullableString,
  visibility: oneOf(visibilityLevels),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  author: UserBasic,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
}

const links = { project_id: forms.nullableInteger, web_url: Type.String(), raw_url: Type.String() }

/** A snippet in a list (contract 09, Snippet). */
export const SnippetSummary = Type.Object({ ...listed, ...links }, { title: 'SnippetSummary' })

/** A snippet with its files (contract 09, Snippet). */
export const SnippetObject = Type.Object(
  {
    ...listed,
    expires_at: forms.nullableTimestamp,
    ...links,
    ssh_url_to_repo: Type.String(),
    http_url_to_repo: Type.String(),
    files: Type.Array(Type.Object({ path: Type.String(), raw_url: Type.String() })),
  },
  { title: 'Snippet' },
)

/** What all snippets of an answer need, loaded at once. */
type Context = {
  externalUrl: string
  presenting: PresentingUsers
  authors: ReadonlyMap<number, UserRow>
  /** Full paths of the projects. */
  paths: ReadonlyMap<number, string>
}

/** The path of a snippet below the address of the server, between that and `snippets/<id>`. */
const folderOf = ({ project_id: id }: SnippetRow, { paths }: Context) => (id === null ? '' : `/${paths.get(id) ?? ''}`)

function summaryOf(row: SnippetRow, context: Context): Static<typeof SnippetSummary> | null {
  const author = context.authors.get(row.author_id)
  // Both may have been deleted since the row was read.
  if (!author || (row.project_id !== null && !context.paths.has(row.project_id))) return null
  const { id, title, file_name, description, visibility, created_at, updated_at } = row
  const web_url = `${context.externalUrl}${folderOf(row, context)}/-/snippets/${id}`
  return {
    ...{ id, title, file_name, description, visibility, ...importMembers(row) },
    author: presentUserBasic(author, context.presenting),
    ...{ created_at, updated_at, project_id: row.project_id, web_url, raw_url: `${web_url}/raw` },
  }
}

async function contextOf(platform: Platform, rows: readonly SnippetRow[]): Promise<Context> {
  const { read } = platform.database
  const projectIds = [...new Set(rows.flatMap(({ project_id: id }) => id ?? []))]
  const [presenting, authors, projects] = await Promise.all([
    presentingUsers(platform),
    usersByIds(
      read,
      rows.map(({ author_id: id }) => id),
    ),
    projectIds.length === 0 ? [] : projectsByIds(read, projectIds),
  ])
  const paths = new Map(projects.map((project) => [project.id, project.full_path]))
  return { externalUrl: platform.externalUrl, presenting, authors, paths }
}

/** Presents snippets in a constant number of queries. */
export async function presentSnippets(
  platform: Platform,
  rows: readonly SnippetRow[],
): Promise<Static<typeof SnippetSummary>[]> {
  const context = await contextOf(platform, rows)
  return rows.flatMap((row) => summaryOf(row, context) ?? [])
}

/** The addresses of a snippet's repository. */
function addressesOf({ sshPrefix, externalUrl }: Platform, { custom_http_clone_url_root: root }: InstanceSettings) {
  return (row: SnippetRow, context: Context) => {
    const below = `${folderOf(row, context).slice(1)}/snippets/${row.id}.git`.replace(/^\//, '')
    return { ssh_url_to_repo: `${sshPrefix}${below}`, http_url_to_repo: `${root || externalUrl}/${below}` }
  }
}

/** A snippet with the addresses of its repository, by id, in a constant number of queries. */
export async function snippetsWithAddresses(platform: Platform, rows: readonly SnippetRow[]) {
  const [context, settings] = await Promise.all([contextOf(platform, rows), platform.settings.current()])
  const addresses = addressesOf(platform, settings)
  return new Map(
    rows.flatMap((row) => {
      const summary = summaryOf(row, context)
      return summary ? [[row.id, { ...summary, ...addresses(row, context) }] as const] : []
    }),
  )
}

/** Encodes a path for an address, without the slashes between its parts. */
const encodedPath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

/** Presents a snippet with its files. @throws ApiError 404 when it was deleted meanwhile */
export async function presentSnippet(platform: Platform, row: SnippetRow): Promise<Static<typeof SnippetObject>> {
  const [context, { opened, branch, head }, settings] = await Promise.all([
    contextOf(platform, [row]),
    openSnippet(platform, row),
    platform.settings.current(),
  ])
  const summary = summaryOf(row, context)
  if (!summary) throw notFound('Snippet')
  const files = await filesAt(opened.repository, head)
  const { project_id, web_url, raw_url, ...before } = summary
  return {
    ...{ ...before, expires_at: null, project_id, web_url, raw_url },
    ...addressesOf(platform, settings)(row, context),
    files: files.map(({ path }) => ({
      path,
      raw_url: `${raw_url}/${encodeURIComponent(branch)}/${encodedPath(path)}`,
    })),
  }
}
