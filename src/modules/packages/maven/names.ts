const longest = 255
const fileForm = /^[A-Za-z0-9._+-]+$/
const segmentForm = /^[A-Za-z0-9_.+-]+$/
const metadataFile = 'maven-metadata.xml'
const snapshotEnd = '-SNAPSHOT'

/** Where a Maven file is: the package, whose version is empty for the list of versions, and the file. */
export type MavenPath = { name: string; version: string; fileName: string }

/** Texts of paths that consist of dots lead elsewhere. */
const isDots = (text: string) => /^\.{1,2}$/.test(text)

/** Whether a text can be the name of a file of a Maven package. */
export const isMavenFileName = (text: string): boolean => text.length <= longest && fileForm.test(text) && !isDots(text)

const isSegment = (text: string) => segmentForm.test(text) && !isDots(text)

/** Whether a file is a list of versions or builds, or a digest or signature of one. */
export const isMetadata = (fileName: string): boolean =>
  fileName === metadataFile || fileName.startsWith(`${metadataFile}.`)

/** The folder above a path; empty for a path of one segment. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/**
 * The package and the file of a path of the Maven format (contract 23, x.maven_publish). The list of versions, with its digests, is
 * a package of its own without a version; the list of builds belongs to its snapshot.
 */
export function mavenPath(path: string, fileName: string): MavenPath {
  if (isMetadata(fileName) && !path.endsWith(snapshotEnd)) return { name: path, version: '', fileName }
  return { name: folderOf(path), version: path.slice(path.lastIndexOf('/') + 1), fileName }
}

/** What is wrong with the path of a file, as the protocol says it; null: nothing. */
export function problemOf({ name, version, fileName }: MavenPath): string | null {
  const segments = name.split('/')
  if (segments.some(isDots) || segments.length !== segments.filter(Boolean).length) return 'Maven metadatum path'
  if (name.length > longest || !segments.every(isSegment)) return 'Name'
  if (version === '' && isMetadata(fileName)) return null
  return isSegment(version) && version.length <= longest && !version.includes('..') ? null : 'Version'
}

/** The digest that a file holds, and the file of which it is; null for other files. SHA-256 and SHA-512 are stored as files. */
export function digestOf(fileName: string): { digest: 'sha1' | 'md5'; of: string } | null {
  const [, of, digest] = /^(.+)\.(sha1|md5)$/.exec(fileName) ?? []
  return of === undefined ? null : { digest: digest as 'sha1' | 'md5', of }
}

/** Whether a version is one that is deployed again and again. */
export const isSnapshot = (version: string): boolean => version.endsWith(snapshotEnd)

const build = /-\d{8}\.\d{6}-\d+/

/** The name of a file of a snapshot without the time and the number of its build. */
export const withoutBuild = (fileName: string): string => fileName.replace(build, '')

/** What stands before and behind the time and the number of the build in the name of a file; null for names without these. */
export function aroundBuild(fileName: string): { start: string; end: string } | null {
  const found = build.exec(fileName)
  return found && { start: fileName.slice(0, found.index), end: fileName.slice(found.index + found[0].length) }
}
