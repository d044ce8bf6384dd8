# Builds a Java program with Maven, and runs its archive.
FROM maven:3-eclipse-temurin-21-alpine AS build

WORKDIR /src
COPY pom.xml ./
RUN mvn --batch-mode dependency:go-offline
COPY src ./src
RUN mvn --batch-mode package -DskipTests

FROM eclipse-temurin:21-jre-alpine
WORKDIR /app
COPY --from=build /src/target/*.jar app.jar

USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["java", "-jar", "app.jar"]
