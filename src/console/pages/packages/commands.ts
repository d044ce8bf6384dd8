import type { Visit } from '../../page.ts'

/** A command or a piece of configuration, to be copied. */
export type Command = { label: string; text: string }

type Named = { name: string; version: string | null; package_type: string }

/** The address of the API as the web address of the project has it. */
function apiOf({ project }: Visit): string {
  const { web_url: url = '', path_with_namespace: path = '' } = project
  return `${url.slice(0, -path.length - 1)}/api/v4`
}

const withLogin = (address: string) => address.replace('://', '://__token__:<access token>@')

/** Maven names a package by the path of its group and its artifact. */
function coordinatesOf({ name, version }: Named) {
  const parts = name.split('/')
  const artifact = parts.pop() ?? ''
  return { group: parts.join('.'), artifact, version: version ?? '' }
}

function maven(api: string, id: number, of: Named): Command[] {
  const { group, artifact, version } = coordinatesOf(of)
  const lines = [
    '<dependency>',
    `  <groupId>${group}</groupId>`,
    `  <artifactId>${artifact}</artifactId>`,
    `  <version>${version}</version>`,
    '</dependency>',
  ]
  const url = `${api}/projects/${id}/packages/maven`
  const get = `mvn dependency:get -Dartifact=${group}:${artifact}:${version} -DremoteRepositories=${url}`
  return [
    { label: 'Install command', text: get },
    { label: 'Dependency of Maven', text: lines.join(' ') },
  ]
}

function npm(api: string, id: number, { name, version }: Named): Command[] {
  const [scope] = name.startsWith('@') ? name.split('/', 1) : []
  const registry = `${api}/projects/${id}/packages/npm/`
  const configured = { label: 'Registry of the scope', text: `npm config set ${scope}:registry=${registry}` }
  const install = `npm install ${name}@${version ?? ''}${scope ? '' : ` --registry=${registry}`}`
  return [...(scope ? [configured] : []), { label: 'Install command', text: install }]
}

/** The commands that install a package, for each format. @param fileName a file of it */
export function commandsOf(visit: Visit, of: Named, fileName: string | undefined): Command[] {
  const [api, id] = [apiOf(visit), visit.project.id]
  if (of.package_type === 'npm') return npm(api, id, of)
  if (of.package_type === 'maven') return of.version === null ? [] : maven(api, id, of)
  if (of.package_type === 'pypi') {
    const index = withLogin(`${api}/projects/${id}/packages/pypi/simple`)
    return [{ label: 'Install command', text: `pip install "${of.name}==${of.version}" --index-url "${index}"` }]
  }
  if (fileName === undefined) return []
  const address = `${api}/projects/${id}/packages/generic/${of.name}/${of.version}/${fileName}`
  return [
    { label: 'Download command', text: `curl --remote-name --header "PRIVATE-TOKEN: <access token>" "${address}"` },
  ]
}

/** What publishes the first package of a project. */
export function publishCommand(visit: Visit): string {
  const address = `${apiOf(visit)}/projects/${visit.project.id}/packages/generic/my-package/1.0.0/file.txt`
  return `curl --upload-file file.txt --header "PRIVATE-TOKEN: <access token>" "${address}"`
}
