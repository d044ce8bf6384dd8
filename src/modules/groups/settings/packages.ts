import { lengthProblems, nullable, type Problems, Type, t } from '../../../api/index.ts'
import { compileBounded, type PatternError } from '../../../infra/regex/index.ts'
import { flag, paramsOf, type Setting, settingProblems } from '../../../platform/settings/index.ts'

const longestPattern = 255
function patternProblems(pattern: string): string[] {
  const tooLong = lengthProblems(pattern, longestPattern)
  if (tooLong.length > 0 || pattern === '') return tooLong
  try {
    compileBounded(pattern, longestPattern)
    return []
  } catch (error) {
    return [`not valid RE2 syntax: ${(error as PatternError).message}`]
  }
}

const exceptions: Setting<string> = {
  default: '',
  param: t.string({ description: 'RE2; matches a whole name or version that is treated the other way' }),
  check: patternProblems,
}
const forwarding: Setting<boolean | null> = { default: null, param: t.nullable(t.boolean()) }

/** The settings of a group about the packages of its projects (contract 23, package_settings). */
export const packageSettings = {
  maven_duplicates_allowed: flag(true),
  maven_duplicate_exception_regex: exceptions,
  generic_duplicates_allowed: flag(true),
  generic_duplicate_exception_regex: exceptions,
  npm_package_requests_forwarding: forwarding,
  pypi_package_requests_forwarding: forwarding,
  maven_package_requests_forwarding: forwarding,
}

/** What is given of them in a request. */
export const packageSettingsParam = t.object(paramsOf(packageSettings))

/** What is wrong with given settings, under the names by which a group shows them. */
export function packageSettingProblems(changes: Readonly<Record<string, unknown>>): Problems {
  const found = settingProblems(packageSettings, changes)
  return Object.fromEntries(Object.entries(found).map(([name, texts]) => [`package_settings.${name}`, texts]))
}

const flagOrNone = nullable(Type.Boolean())

/** The settings as a group shows them to its owners. */
export const PackageSettings = Type.Object(
  {
    maven_duplicates_allowed: Type.Boolean(),
    maven_duplicate_exception_regex: Type.String(),
    generic_duplicates_allowed: Type.Boolean(),
    generic_duplicate_exception_regex: Type.String(),
    npm_package_requests_forwarding: flagOrNone,
    pypi_package_requests_forwarding: flagOrNone,
    maven_package_requests_forwarding: flagOrNone,
  },
  { title: 'GroupPackageSettings' },
)

/** The settings about packages among those of a group. */
export function packageSettingsIn<Row extends Readonly<Record<keyof typeof packageSettings, unknown>>>(
  row: Row,
): Pick<Row, keyof typeof packageSettings> {
  const names = Object.keys(packageSettings) as (keyof typeof packageSettings)[]
  return Object.fromEntries(names.map((name) => [name, row[name]])) as never
}
