import { type Actor, forbidden, notFound } from '../../../api/index.ts'
import { type Commit, ZERO_SHA1 } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type OpenedRepository, openRepository } from '../../../platform/repositories/index.ts'
import { requireCommit } from '../../commits/index.ts'
import { canUseFeature, defaultBranchName, type Project } from '../../projects/index.ts'
import { storedVariables } from '../../variables/index.ts'
import { emptyAccess } from '../commit-source.ts'
import { lintConfig } from '../evaluation/evaluate.ts'
import type { CommitAccess } from '../evaluation/works.ts'
import { accessOf, type PlanSubject, readConfigText } from '../pipeline-plan.ts'
import { predefinedVariables } from '../predefined.ts'
import type { PipelineContext } from '../types.ts'
import type { LintOfCommit, LintOfText } from './params.ts'
import { presentLint } from './present.ts'

/** The name of a ref without `refs/heads/` or `refs/tags/`. */
const shortName = (ref: string) => ref.replace(/^refs\/(heads|tags)\//, '')

/** The commit and the short name of a ref; the default branch for none, which glab writes as empty text. @throws ApiError 404 */
async function refOf(platform: Platform, project: Project, opened: OpenedRepository, given: string | undefined) {
  const name = shortName(given || (await defaultBranchName(platform, project)))
  const tag = opened.snapshot.branch(name) === null && opened.snapshot.tag(name) !== null
  return { ref: name, tag, commit: await requireCommit(opened, given || name) }
}

async function contextOf(
  platform: Platform,
  { project, commit }: { project: Project; commit: Commit | null },
  ref: string,
  tag: boolean,
): Promise<PipelineContext> {
  const defaultBranch = await defaultBranchName(platform, project)
  const stored = (await storedVariables(platform, project, false)).forJob(null)
  const facts = {
    project,
    commit,
    beforeSha: null,
    ref,
    tag,
    isProtected: false,
    source: 'push',
    defaultBranch,
    user: null,
  }
  return {
    ...{ ref, tag, source: 'push', sha: commit?.oid ?? ZERO_SHA1, beforeSha: null, defaultBranch },
    predefined: predefinedVariables(platform, facts),
    variables: [...stored.instance, ...stored.groups, ...stored.project],
  }
}

type Wanted = { dry_run?: boolean; include_jobs?: boolean }

async function lint(
  platform: Platform,
  access: CommitAccess,
  context: PipelineContext,
  text: string,
  { dry_run: isDryRun = false, include_jobs: wantsJobs = false }: Wanted,
) {
  const task = { text, context, isDryRun, wantsJobs }
  const found = await lintConfig(platform, task, access)
  return presentLint(platform.externalUrl, found, wantsJobs)
}

const without = (platform: Platform) => {
  const errors = ['Please provide content of .gitlab-ci.yml']
  return presentLint(platform.externalUrl, { errors, warnings: [], includes: [], mergedYaml: null, jobs: [] }, false)
}

function requireBuilds(actor: Actor, project: Project): void {
  if (!canUseFeature(actor, project, 'builds')) throw forbidden()
}

const isEmpty = ({ snapshot }: OpenedRepository) => snapshot.branches.length === 0

/** Validates the configuration of a commit (contract 04, x.ci_lint_get). @throws ApiError 403, 404 */
export async function lintCommit(platform: Platform, project: Project, actor: Actor, given: LintOfCommit) {
  requireBuilds(actor, project)
  const opened = await openRepository(platform, project)
  if (isEmpty(opened)) throw notFound('Repository')
  const content = await refOf(platform, project, opened, given.content_ref ?? given.sha)
  const target = await refOf(
    platform,
    project,
    opened,
    given.dry_run_ref ?? given.ref ?? given.content_ref ?? given.sha,
  )
  const subject: PlanSubject = { project, actor, opened, commit: content.commit }
  const text = await readConfigText(platform, subject)
  if (text === null) return without(platform)
  const context = await contextOf(platform, subject, target.ref, target.tag)
  return lint(platform, accessOf(platform, subject, context), context, text, given)
}

/**
 * Validates a text as the configuration of a project, which need not have commits (contract 04, x.ci_lint_post).
 * @throws ApiError 403, 404
 */
export async function lintText(platform: Platform, project: Project, actor: Actor, given: LintOfText) {
  requireBuilds(actor, project)
  const opened = await openRepository(platform, project)
  if (isEmpty(opened)) {
    const ref = shortName(given.ref || (await defaultBranchName(platform, project)))
    const context = await contextOf(platform, { project, commit: null }, ref, false)
    return lint(platform, emptyAccess(platform, project, actor), context, given.content, given)
  }
  const { ref, tag, commit } = await refOf(platform, project, opened, given.ref)
  const subject: PlanSubject = { project, actor, opened, commit }
  const context = await contextOf(platform, subject, ref, tag)
  return lint(platform, accessOf(platform, subject, context), context, given.content, given)
}
