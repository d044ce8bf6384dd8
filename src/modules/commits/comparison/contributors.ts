import { notFound, type Page, type PageRequest, pageOfList } from '../../../api/index.ts'
import type { Contributor } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import { resolveRevision } from '../revision.ts'
import type { ContributorParams } from './params.ts'

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Contributors in the requested order, equal ones by name and e-mail. */
function sorted(people: readonly Contributor[], { order_by = 'commits', sort }: ContributorParams) {
  const direction = sort === 'desc' ? -1 : 1
  const keyed = (a: Contributor, b: Contributor) =>
    order_by === 'commits' ? a.commits - b.commits : compareText(a[order_by], b[order_by])
  return [...people].sort(
    (a, b) => direction * keyed(a, b) || compareText(a.name, b.name) || compareText(a.email, b.email),
  )
}

/** The authors of a revision's history (x.repo_contributors). @throws ApiError 404 for an empty history */
export async function listContributors(
  platform: Platform,
  project: Project,
  params: ContributorParams,
  page: PageRequest,
): Promise<Page<Contributor & { additions: number; deletions: number }>> {
  const opened = await openRepository(platform, project)
  const oid = await resolveRevision(opened, params.ref?.trim() || 'HEAD')
  if (!oid) throw notFound()
  const people = sorted(await opened.repository.contributors(oid), params)
  const { items, ...rest } = pageOfList(people, page)
  // Lines are not counted: that takes a diff of each commit of the history (contract 22).
  return { items: items.map((person) => ({ ...person, additions: 0, deletions: 0 })), ...rest }
}
