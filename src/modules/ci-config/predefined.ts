import { type Commit, ZERO_SHA1 } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type Project, settingsOf } from '../projects/index.ts'
import { type ConfigVariable, requestSource } from './types.ts'

/** What the predefined variables of a pipeline are made of, before it exists (contract 04, Predefined variables). */
export type PipelineFacts = {
  project: Project
  /** Null in a repository without commits. */
  commit: Commit | null
  beforeSha: string | null
  /** Short name; that of the source branch for a merge request. */
  ref: string
  tag: boolean
  isProtected: boolean
  source: string
  defaultBranch: string
  user: { id: number; username: string; name: string; email: string } | null
}

/** Lower case, other than `[a-z0-9]` as `-`, at most 63 characters without `-` at the edges (contract 04). */
export function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, 63)
  return slug.replace(/^-+|-+$/g, '')
}

function ofCommit({ commit, beforeSha, ref, tag, isProtected, source }: PipelineFacts): Record<string, string> {
  const ofRef = {
    CI_COMMIT_BEFORE_SHA: beforeSha ?? ZERO_SHA1,
    CI_COMMIT_REF_NAME: ref,
    CI_COMMIT_REF_SLUG: slugOf(ref),
    CI_COMMIT_REF_PROTECTED: String(isProtected),
    ...(tag ? { CI_COMMIT_TAG: ref } : source === requestSource ? {} : { CI_COMMIT_BRANCH: ref }),
  }
  if (!commit) return ofRef
  const { oid, title, message, author, committer } = commit
  const [, ...description] = message.split('\n')
  return {
    CI_COMMIT_SHA: oid,
    CI_COMMIT_SHORT_SHA: oid.slice(0, 8),
    ...ofRef,
    CI_COMMIT_MESSAGE: message,
    CI_COMMIT_TITLE: title,
    CI_COMMIT_DESCRIPTION: description.join('\n').trim(),
    CI_COMMIT_AUTHOR: `${author.name} <${author.email}>`,
    CI_COMMIT_TIMESTAMP: committer.date,
  }
}

function ofProject({ externalUrl }: Platform, { project, defaultBranch }: PipelineFacts): Record<string, string> {
  const path = project.full_path
  const namespace = path.slice(0, path.lastIndexOf('/'))
  return {
    CI_CONFIG_PATH: settingsOf(project).ci_config_path || '.gitlab-ci.yml',
    CI_DEFAULT_BRANCH: defaultBranch,
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_PATH: path,
    CI_PROJECT_PATH_SLUG: slugOf(path),
    CI_PROJECT_NAMESPACE: namespace,
    CI_PROJECT_NAMESPACE_ID: String(project.namespace_id),
    CI_PROJECT_ROOT_NAMESPACE: namespace.split('/', 1)[0] ?? '',
    CI_PROJECT_URL: `${externalUrl}/${path}`,
    CI_PROJECT_VISIBILITY: project.visibility,
  }
}

function ofServer({ externalUrl, config }: Platform): Record<string, string> {
  const { protocol, hostname, port, host } = new URL(externalUrl)
  return {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER: 'yes',
    CI_SERVER_NAME: 'GitLab',
    CI_SERVER_URL: externalUrl,
    CI_SERVER_FQDN: host,
    CI_SERVER_HOST: hostname,
    CI_SERVER_PORT: port || (protocol === 'https:' ? '443' : '80'),
    CI_SERVER_PROTOCOL: protocol.slice(0, -1),
    CI_SERVER_VERSION: config.version,
    CI_API_V4_URL: `${externalUrl}/api/v4`,
    GITLAB_FEATURES: '',
  }
}

/** The predefined variables that are known before a pipeline exists (contract 04, "Predefined variables"). */
export function predefinedVariables(platform: Platform, facts: PipelineFacts): ConfigVariable[] {
  const { user, source } = facts
  const values = {
    ...ofServer(platform),
    ...ofProject(platform, facts),
    ...ofCommit(facts),
    CI_PIPELINE_SOURCE: source,
    ...(source === 'trigger' ? { CI_PIPELINE_TRIGGERED: 'true' } : {}),
    ...(user
      ? {
          GITLAB_USER_ID: String(user.id),
          GITLAB_USER_LOGIN: user.username,
          GITLAB_USER_NAME: user.name,
          GITLAB_USER_EMAIL: user.email,
        }
      : {}),
  }
  return Object.entries(values).map(([key, value]) => ({ key, value, raw: true }))
}
