/** YAML as people write it in files of their repositories. */
export { parseYaml, YamlError, type YamlOptions } from './parse.ts'
