import { type Problems, textProblems } from '../../../api/index.ts'
import { knownScopes } from '../scopes.ts'

const longestName = 255
/** In characters, of all addresses together. */
const longestAddresses = 4_096

/** Schemes that browsers run or show instead of opening them. */
const forbiddenSchemes = ['data:', 'vbscript:', 'javascript:']

function addressProblems(address: string): string[] {
  if (!URL.canParse(address)) return ['must be an absolute URI.']
  const { protocol, hash } = new URL(address)
  if (forbiddenSchemes.includes(protocol)) return ['is forbidden by the server.']
  return hash !== '' || address.endsWith('#') ? ['cannot contain a fragment.'] : []
}

export const addressesIn = (text: string) => text.split(/\s+/).filter((address) => address !== '')
export const scopesIn = (text: string) => [...new Set(text.split(/\s+/).filter((scope) => scope !== ''))]

/** A new application as requested. */
export type WantedApplication = { name: string; redirect_uri: string; scopes: string; confidential?: boolean }

/** What is wrong with a new application (contract 20, x.applications_create). */
export function applicationProblems({ name, redirect_uri: addresses, scopes }: WantedApplication): Problems {
  const tooLong = textProblems(addresses, longestAddresses)
  const unknown = scopesIn(scopes).some((scope) => !knownScopes.includes(scope))
  return {
    name: textProblems(name, longestName),
    redirect_uri: tooLong.length > 0 ? tooLong : [...new Set(addressesIn(addresses).flatMap(addressProblems))],
    scopes:
      scopesIn(scopes).length === 0 ? ["can't be blank"] : unknown ? ["doesn't match configured on the server."] : [],
  }
}
