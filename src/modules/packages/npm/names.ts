import semver from 'semver'
import { parameterError } from '../../../api/index.ts'

const longestName = 214
const longest = 255
const nameForm = /^(@[-+._a-zA-Z0-9]+\/)?[-+._a-zA-Z0-9]+$/

/** Whether a text is the name of an npm package (contract 23, x.npm_publish). */
export const isNpmName = (text: string): boolean =>
  text.length <= longestName &&
  nameForm.test(text) &&
  !text.split('/').some((part) => ['.', '..', '@.', '@..'].includes(part))

/** Whether a text is a version in the strict form of Semantic Versioning. */
export const isNpmVersion = (text: string): boolean =>
  text.length <= longest && /^\d/.test(text) && semver.parse(text)?.raw === text

/** Whether a text is a dist-tag. */
export const isTag = (text: string): boolean => text !== '' && text.length <= longest && !text.includes('\u0000')

/** @throws ApiError 400 for names that lead elsewhere */
export function requireNoTraversal(name: string): void {
  if (name.split('/').some((part) => part === '.' || part === '..')) {
    throw parameterError('package_name', 'should be a valid file path')
  }
}

/** The namespace that the scope of a name is (`@scope/name`); null for names without a scope. */
export const scopeOf = (name: string): string | null => /^@([^/]+)\//.exec(name)?.[1] ?? null

/** The name of the tarball of a version, with the scope. */
export const tarballName = (name: string, version: string) => `${name}-${version}.tgz`

/** The version whose tarball has a name; null for other files. */
export function versionOfTarball(name: string, fileName: string): string | null {
  const isTarball = fileName.startsWith(`${name}-`) && fileName.endsWith('.tgz')
  return isTarball ? fileName.slice(name.length + 1, -'.tgz'.length) : null
}
