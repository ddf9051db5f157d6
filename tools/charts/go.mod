module candela.dev/tools/charts

go 1.22

require (
	helm.sh/helm/v3 v3.16.4
	k8s.io/apimachinery v0.31.4
	k8s.io/client-go v0.31.4
)
