import { type RegistryProblem, registryProblem } from '../http/problems.ts'

/**
 * 400: the body is not a manifest that can be stored.
 * @param place the offending member, such as `layers[3].digest`; undefined when it is the document
 */
export function manifestInvalid(place: string | undefined, reason: string): RegistryProblem {
  return registryProblem('MANIFEST_INVALID', { detail: { place, reason } })
}
