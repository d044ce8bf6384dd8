/** The first texts of files; commits change parts of them later. */
export const main = `terraform {
  required_version = ">= 1.9"
}

module "quay" {
  source    = "./modules/machine"
  for_each  = toset(["quay-1", "quay-2"])
  name      = each.key
  memory_gb = 4
}

module "lighthouse" {
  source    = "./modules/machine"
  name      = "lighthouse"
  memory_gb = 2
}
`

export const machine = `variable "name" {
  type = string
}

variable "memory_gb" {
  type = number
}

resource "example_machine" "this" {
  name   = var.name
  memory = var.memory_gb * 1024
  image  = "debian-13"
}
`

export const pipeline = `stages: [check, plan, apply]

format:
  stage: check
  script: [terraform fmt -check -recursive]

plan:
  stage: plan
  script: [terraform plan -out plan.bin]
  artifacts:
    paths: [plan.txt]

apply:
  stage: apply
  script: [terraform apply plan.bin]
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
      when: manual
`
