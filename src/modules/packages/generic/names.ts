import { badRequest, parameterError } from '../../../api/index.ts'

const longest = 255
const forms = {
  package_name: /^[A-Za-z0-9._+-]+$/,
  package_version: /^[A-Za-z0-9_+.-]+$/,
  file_name: /^(?![~@])[A-Za-z0-9._+~@-]+(?<![~@])$/,
} as const

const isTraversal = (text: string) => text.split('/').some((segment) => segment === '..' || segment === '.')

/** Where a generic file is. `fileName`: with directories, percent-encoded. */
export type GenericPath = { name: string; version: string; fileName: string }

function requireForm(name: keyof typeof forms, text: string): void {
  if (isTraversal(text)) throw parameterError(name, 'should be a valid file path')
  if (text.length > longest || !forms[name].test(text)) throw parameterError(name, 'is invalid')
}

/**
 * The package and the file that a path of the generic format names (contract 23, x.generic_publish).
 * @throws ApiError 400 for names that are not allowed
 */
export function readGenericPath(path: Record<'package_name' | 'package_version' | 'file_path', string>): GenericPath {
  const { package_name: name, package_version: version, file_path: filePath } = path
  requireForm('package_name', name)
  if (version.includes('..')) throw parameterError('package_version', 'is invalid')
  requireForm('package_version', version)
  const segments = filePath.split('/')
  const file = segments.pop() ?? ''
  const leadsElsewhere = segments.some((segment) => segment === '' || isTraversal(segment))
  if (leadsElsewhere) throw parameterError('path', 'should be a valid file path')
  requireForm('file_name', file)
  const fileName = encodeURIComponent([...segments, file].join('/'))
  if (fileName.length > longest) throw parameterError('file_name', 'is invalid')
  if (filePath.includes('\u0000')) throw badRequest('invalid URI')
  return { name, version, fileName: segments.length === 0 ? file : fileName }
}
