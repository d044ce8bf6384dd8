import { lengthProblems, t } from '../../../api/index.ts'
import { compileRegex } from '../../../infra/regex/index.ts'
import { flag, type Setting } from '../../../platform/settings/index.ts'

const longestPattern = 255
/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 5000

function patternProblems(pattern: string): string[] {
  const tooLong = lengthProblems(pattern, longestPattern)
  if (tooLong.length > 0 || pattern === '') return tooLong
  try {
    return compileRegex(pattern).programSize() > largestProgram ? ['not valid RE2 syntax: pattern too large'] : []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [`not valid RE2 syntax: ${reason.replace(/^error parsing regexp: /, '')}`]
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
