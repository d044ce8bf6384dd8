import type { JobDefinition } from '../../ci-config/index.ts'

const base = { executor_opts: {}, ports: [] }

/** What the runner executes. */
export function stepsOf({ beforeScript, script, afterScript }: JobDefinition, timeout: number) {
  const main = {
    name: 'script',
    script: [...beforeScript, ...script],
    timeout,
    when: 'on_success',
    allow_failure: false,
  }
  if (afterScript.length === 0) return [main]
  return [main, { name: 'after_script', script: [...afterScript], timeout, when: 'always', allow_failure: true }]
}

/** `hooks` of a payload (contract 04, "Job payload"). */
export function hooksOf({ preGetSourcesScript: script }: JobDefinition) {
  return script.length === 0 ? [] : [{ name: 'pre_get_sources_script', script: [...script] }]
}

const list = (texts: readonly string[] | null) => (texts === null ? null : [...texts])

/** `image` of a payload (contract 04, "Job payload"). */
export function imageOf({ image }: JobDefinition) {
  if (!image) return null
  return { name: image.name, entrypoint: list(image.entrypoint), ...base, pull_policy: list(image.pullPolicy) }
}

/** `services` of a payload (contract 04, "Job payload"). */
export function servicesOf({ services }: JobDefinition) {
  return services.map(({ name, entrypoint, alias, command, pullPolicy }) => ({
    ...{ name, entrypoint: list(entrypoint), alias, command: list(command), ...base, variables: [] },
    pull_policy: list(pullPolicy),
  }))
}

/** Names of the files in which runners upload reports, where it is not that of the type. */
const reportNames: Readonly<Record<string, string>> = { dotenv: '.env', junit: 'junit.xml' }

/** The files that the runner uploads: the archive, and each kind of report. */
export function artifactsOf({ artifacts }: JobDefinition) {
  if (!artifacts) return null
  const { name, untracked, paths, exclude, when, expireIn: expire_in, reports } = artifacts
  const archive = { name, untracked, paths: [...paths], exclude: [...exclude], when, expire_in }
  const hasArchive = untracked || paths.length > 0
  return [
    ...(hasArchive ? [{ ...archive, artifact_type: 'archive', artifact_format: 'zip' }] : []),
    ...Object.entries(reports).map(([type, files]) => ({
      ...{
        name: reportNames[type] ?? `${type}.json`,
        untracked: false,
        paths: [...files],
        exclude: [],
        when: 'always',
      },
      ...{ expire_in, artifact_type: type, artifact_format: 'gzip' },
    })),
  ]
}
