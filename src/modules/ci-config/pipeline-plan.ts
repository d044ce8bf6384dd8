import type { Actor } from '../../api/index.ts'
import type { Commit } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { OpenedRepository } from '../../platform/repositories/index.ts'
import { type Project, settingsOf } from '../projects/index.ts'
import { commitFacts, commitSource } from './commit-source.ts'
import { type Compiled, compileConfig } from './compile.ts'
import { planPipeline } from './plan.ts'
import type { PipelineContext, PipelinePlan } from './types.ts'

/** The commit of a pipeline, with the user whose rights decide about includes. */
export type PlanSubject = { project: Project; actor: Actor; opened: OpenedRepository; commit: Commit }

/** The text of a project's configuration at a commit; null when it has none. */
export async function readConfigText(platform: Platform, subject: PlanSubject): Promise<string | null> {
  const path = settingsOf(subject.project).ci_config_path || '.gitlab-ci.yml'
  return commitSource(platform, { ...subject, commit: subject.commit.oid }).read(path)
}

/** Compiles the text of a configuration as part of a commit. */
export async function compileAt(
  platform: Platform,
  { project, actor, opened, commit }: PlanSubject,
  context: PipelineContext,
  text: string,
): Promise<Compiled> {
  const source = commitSource(platform, { project, actor, opened, commit: commit.oid })
  const values = new Map([...context.predefined, ...context.variables].map(({ key, value }) => [key, value]))
  const facts = commitFacts(opened, commit.oid, context.beforeSha)
  return compileConfig(text, source, { variables: (name) => values.get(name), facts })
}

/** The jobs that a new pipeline of a commit gets. */
export async function planAt(
  platform: Platform,
  subject: PlanSubject,
  context: PipelineContext,
  text: string,
): Promise<PipelinePlan> {
  const { configuration, errors } = await compileAt(platform, subject, context, text)
  if (!configuration) return { kind: 'invalid', errors }
  return planPipeline(configuration, context, commitFacts(subject.opened, subject.commit.oid, context.beforeSha))
}
