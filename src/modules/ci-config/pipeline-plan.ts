import type { Actor } from '../../api/index.ts'
import type { Commit } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { OpenedRepository } from '../../platform/repositories/index.ts'
import { type Project, settingsOf } from '../projects/index.ts'
import { commitFacts, commitSource } from './commit-source.ts'
import { planText } from './evaluation/evaluate.ts'
import type { CommitAccess } from './evaluation/works.ts'
import type { PipelineContext, PipelinePlan } from './types.ts'

/** The commit of a pipeline, with the user whose rights decide about includes. */
export type PlanSubject = { project: Project; actor: Actor; opened: OpenedRepository; commit: Commit }

/** The text of a project's configuration at a commit; null when it has none. */
export async function readConfigText(platform: Platform, subject: PlanSubject): Promise<string | null> {
  const path = settingsOf(subject.project).ci_config_path || '.gitlab-ci.yml'
  return commitSource(platform, { ...subject, commit: subject.commit.oid }).read(path)
}

/** What a configuration reads of its commit, as the user may. */
export function accessOf(
  platform: Platform,
  { project, actor, opened, commit }: PlanSubject,
  { beforeSha }: PipelineContext,
): CommitAccess {
  const source = commitSource(platform, { project, actor, opened, commit: commit.oid })
  return { source, facts: commitFacts(opened, commit.oid, beforeSha) }
}

/** The jobs that a new pipeline of a commit gets. */
export function planAt(
  platform: Platform,
  subject: PlanSubject,
  context: PipelineContext,
  text: string,
): Promise<PipelinePlan> {
  return planText(platform, { text, context }, accessOf(platform, subject, context))
}
