const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const legalName = new RegExp(`^${component}(?:/${component})+$`)

const maximumCharacters = 255
/** Two for a project, and at most two more below it; groups may be nested twenty deep less one. */
const maximumComponents = 19

/** How many components of a name may follow the path of its project. */
const maximumLevels = 2

/** Whether a text is a repository name (contract 02 R1): at most 255 characters and 2 to 19 components. */
export function isRepositoryName(name: string): boolean {
  // The length first: it bounds the time of the pattern.
  if (name.length > maximumCharacters || !legalName.test(name)) return false
  return name.split('/').length <= maximumComponents
}

/** A way to divide a repository name into the path of a project and the name of the repository in it. */
export type NameDivision = { projectPath: string; rest: string }

/** The divisions of a name, the longest path of a project first (contract 02 R1). A project's path has two components or more. */
export function divisionsOf(name: string): NameDivision[] {
  const parts = name.split('/')
  return Array.from({ length: maximumLevels + 1 }, (_, below) => parts.length - below)
    .filter((count) => count >= 2)
    .map((count) => ({ projectPath: parts.slice(0, count).join('/'), rest: parts.slice(count).join('/') }))
}

/** The path of a repository, from that of its project: in lower case, without a trailing slash. */
export function repositoryPath(project: { full_path: string }, rest: string): string {
  return `${project.full_path}${rest === '' ? '' : `/${rest}`}`.toLowerCase()
}
