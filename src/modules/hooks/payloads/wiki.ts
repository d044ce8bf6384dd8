import type { Oid, Repository } from '../../../infra/git/index.ts'
import { findPage, textOf, titleOfSlug } from '../../wikis/index.ts'
import { type Building, type NamedProject, oneUserPayload, projectPayload, webUrl } from './parts.ts'

export type WikiChange = { action: 'created' | 'updated' | 'destroyed'; slug: string }

const actions = { created: 'create', updated: 'update', destroyed: 'delete' } as const

/** Texts of pages are cut. In characters. */
const longestText = 1_000_000

/** A page as of a commit; empty when it is not there. */
async function pageAt(repository: Repository, commit: Oid | null, slug: string) {
  const page = commit === null ? null : await findPage({ repository, commit }, slug)
  const text = page ? await textOf(repository, page) : ''
  const [made] = commit === null ? [] : (await repository.commits([commit])).values()
  return {
    content: text.slice(0, longestText),
    format: page?.format ?? 'markdown',
    message: made?.message.trimEnd() ?? '',
  }
}

/** The payload of a page of a wiki (contract 21 R7, `Wiki Page Hook`). */
export async function wikiPayload(
  building: Building,
  project: NamedProject,
  { repository, commit }: { repository: Repository; commit: Oid | null },
  { action, slug }: WikiChange,
  userId: number | null,
) {
  const { platform, httpPrefix } = building
  const base = `${webUrl(building, project)}/-/wikis`
  const path = slug.split('/').map(encodeURIComponent).join('/')
  const fullPath = `${project.row.full_path}.wiki`
  return {
    object_kind: 'wiki_page',
    user: await oneUserPayload(building, userId),
    project: projectPayload(building, project),
    wiki: {
      web_url: `${base}/home`,
      git_ssh_url: `${platform.sshPrefix}${fullPath}.git`,
      git_http_url: `${httpPrefix}${fullPath}.git`,
      path_with_namespace: fullPath,
      default_branch: project.row.default_branch,
    },
    object_attributes: {
      title: titleOfSlug(slug),
      ...(await pageAt(repository, commit, slug)),
      slug,
      url: `${base}/${path}`,
      action: actions[action],
      diff_url: commit === null ? null : `${base}/${path}/diff?version_id=${commit}`,
      version_id: commit,
    },
  }
}
